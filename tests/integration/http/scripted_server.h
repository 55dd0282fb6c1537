#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace evenkeel::http {

/// A server whose connections do what a test says, whatever the protocol.
class ScriptedServer {
 public:
  /// One connection as its script sees it.
  class Peer {
   public:
    Peer(int socket, const std::atomic<bool>& is_ending) : socket_(socket), is_ending_(is_ending) {}

    /// False once the other side has closed, or the server ends.
    bool Send(std::string_view bytes) {
      while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0 || is_ending_) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
      return true;
    }
    /// Up to the empty line that ends a request; empty if the other side has closed.
    std::string ReadRequest() {
      std::string request;
      for (char byte = 0; !request.ends_with("\r\n\r\n");) {
        if (::recv(socket_, &byte, 1, 0) != 1) return {};
        request += byte;
      }
      return request;
    }
    /// Fills the bytes with what comes next; false if that is less.
    bool Read(std::string& bytes) {
      const ssize_t read = ::recv(socket_, bytes.data(), bytes.size(), MSG_WAITALL);
      return read == static_cast<ssize_t>(bytes.size());
    }
    /// Until the other side closes.
    void Drain() {
      char bytes[4096];
      while (::recv(socket_, bytes, sizeof bytes, 0) > 0) {
      }
    }
    [[nodiscard]] bool IsEnding() const { return is_ending_; }

   private:
    int socket_;
    const std::atomic<bool>& is_ending_;
  };
  using Script = std::function<void(Peer&)>;

  explicit ScriptedServer(Script script) : script_(std::move(script)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_, any, size), 0);
    EXPECT_EQ(::listen(listener_, 512), 0);
    EXPECT_EQ(::getsockname(listener_, any, &size), 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  ~ScriptedServer() {
    is_ending_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    for (std::thread& thread : threads_) thread.join();
    for (const int socket : sockets_) ::close(socket);
    ::close(listener_);
  }

  [[nodiscard]] std::string Address() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] int Connections() const { return connections_; }

 private:
  void Accept() {
    for (;;) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      ++connections_;
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket] {
        Peer peer(socket, is_ending_);
        script_(peer);
        ::shutdown(socket, SHUT_RDWR);
      });
    }
  }

  const Script script_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> is_ending_ = false;
  std::atomic<int> connections_ = 0;
  std::vector<int> sockets_;          // of the acceptor, then of the destructor
  std::vector<std::thread> threads_;  // likewise
  std::thread acceptor_;
};

}  // namespace evenkeel::http
