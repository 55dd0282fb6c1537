#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/check.h"
#include "http/http_server.h"
#include "tests/fuzz/scratch_folder.h"

namespace evenkeel::http {
namespace {

/// Answers with a file of a folder, as results are served, or with what it was asked.
class EchoHandler final : public HttpHandler {
 public:
  EchoHandler() { folder_.Write("summary.json", "{}\n"); }

  HttpResponse Handle(const HttpRequest& request) override {
    EVENKEEL_CHECK(request.body.size() <= 16 * 1024, "a body has at most 16 KiB");
    if (!IsRead(request) && request.method != "PUT") return NotAllowed("GET, HEAD, PUT");
    const auto path = PathOf(request.target);
    if (!path) return PlainAnswer(400, "not a path");
    if (auto file = ServedFile::Open(folder_.Path(), std::string_view(*path).substr(1))) {
      HttpResponse response;
      response.file = std::move(*file);
      return response;
    }
    return PlainAnswer(200, *path + request.authorization + request.host + request.body);
  }

 private:
  fuzz::ScratchFolder folder_;
};

/// A server that lives as long as the process.
class EchoServer {
 public:
  EchoServer() {
    HttpServerOptions options;
    options.address = "127.0.0.1:0";
    auto server = HttpServer::Start(options, handler_);
    EVENKEEL_CHECK(server.has_value(), "no server on the loopback interface");
    server_ = std::move(*server);
  }
  [[nodiscard]] std::uint16_t Port() const { return server_->Port(); }

 private:
  EchoHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

sockaddr_in AddressOf(std::uint32_t ip, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(ip);
  address.sin_port = htons(port);
  return address;
}

/// A connection to the server, or -1. Each comes from another loopback address, because ports of
/// ended connections cannot be used again for a minute.
int TryConnect(std::uint16_t port) {
  static std::uint32_t count = 0;
  const int peer = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in from = AddressOf((127U << 24) + (1U << 16) + count++ % 65'000, 0);
  const sockaddr_in to = AddressOf(INADDR_LOOPBACK, port);
  if (::bind(peer, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0 &&
      ::connect(peer, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    return peer;
  }
  ::close(peer);
  return -1;
}

/// A connection to the server. On a busy machine an attempt may fail.
int Connect(std::uint16_t port) {
  int peer = -1;
  for (int attempts = 0; peer < 0 && attempts < 500; ++attempts) {
    if (attempts > 0) ::poll(nullptr, 0, 10);
    peer = TryConnect(port);
  }
  EVENKEEL_CHECK(peer >= 0, "the server cannot be reached");
  const timeval patience{5, 0};
  ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return peer;
}

/// Sends the bytes and reads until the server has closed the connection.
void Exchange(int peer, std::string_view bytes) {
  // The socket's buffers take the whole input. The server may have closed the connection before.
  (void)::send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  ::shutdown(peer, SHUT_WR);
  char answer[4096];
  ssize_t size = 1;
  while (size > 0) size = ::recv(peer, answer, sizeof answer, 0);
  EVENKEEL_CHECK(size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK),
                 "a connection ends when its peer has ended it");
}

}  // namespace
}  // namespace evenkeel::http

/// Everything that one peer of an HTTP server sends.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evenkeel::http;
  static const EchoServer server;
  const int peer = Connect(server.Port());
  Exchange(peer, {reinterpret_cast<const char*>(data), size});
  ::close(peer);
  return 0;
}
