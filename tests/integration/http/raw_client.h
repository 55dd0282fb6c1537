#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace evenkeel {

/// A connection to a local port that sends arbitrary bytes.
class RawClient {
 public:
  /// `source` is the address of this machine that the connection comes from.
  explicit RawClient(std::uint16_t port, const char* source = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    timeval patience{30, 0};  // only a failing test waits for it
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, source, &address.sin_addr);
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
  }
  RawClient(RawClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() {
    if (socket_ >= 0) ::close(socket_);
  }

  void Send(const std::string& bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t part = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (part <= 0) return;  // the other side has had enough
      sent += static_cast<std::size_t>(part);
    }
  }

  struct Answer {
    int status = 0;
    std::string body;
  };
  /// One answer with a Content-Length; status 0 if the connection ended before.
  [[nodiscard]] Answer ReadAnswer() {
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!ReadMore()) return {};
    }
    const std::string head = buffer_.substr(0, end + 4);
    const std::size_t length = head.find("Content-Length: ");
    const std::size_t size =
        length == std::string::npos ? 0 : std::strtoul(head.c_str() + length + 16, nullptr, 10);
    while (buffer_.size() < head.size() + size) {
      if (!ReadMore()) return {};
    }
    Answer answer{std::atoi(head.c_str() + 9), buffer_.substr(head.size(), size)};
    buffer_.erase(0, head.size() + size);
    return answer;
  }

  /// All that comes until the other side closes.
  [[nodiscard]] std::string ReadToEnd() {
    while (ReadMore()) {
    }
    return std::exchange(buffer_, {});
  }

 private:
  bool ReadMore() {
    char bytes[65536];
    const ssize_t size = ::recv(socket_, bytes, sizeof bytes, 0);
    if (size <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }

  int socket_;
  std::string buffer_;
};

/// Tries until it is true, for 30 s at most.
inline bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace evenkeel
