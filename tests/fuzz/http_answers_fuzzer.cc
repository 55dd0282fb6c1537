#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "http/http_client.h"

namespace evenkeel::http {
namespace {

constexpr std::uint64_t kMaxBodyBytes = 4096;
constexpr int kPatienceMs = 5000;

/// Answers one connection after the other with given bytes.
class ByteServer {
 public:
  ByteServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    auto* const any = reinterpret_cast<sockaddr*>(&address_);
    EVENKEEL_CHECK(::bind(listener_, any, size) == 0 && ::listen(listener_, 64) == 0 &&
                       ::getsockname(listener_, any, &size) == 0,
                   "no server on the loopback interface");
  }

  [[nodiscard]] std::string Address() const {
    return "127.0.0.1:" + std::to_string(ntohs(address_.sin_port));
  }

  /// Sends the bytes to the next peer, as soon as it has sent something, and nothing after them.
  /// Returns the connection, for Close().
  [[nodiscard]] int Answer(std::string_view bytes) const {
    EVENKEEL_CHECK(Readable(listener_), "the client connects");
    const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    EVENKEEL_CHECK(peer >= 0, "the connection is accepted");
    char request[1024];
    if (Readable(peer)) (void)::recv(peer, request, sizeof request, 0);
    // The socket's buffers take the whole input. The client may have closed the connection before.
    (void)::send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(peer, SHUT_WR);
    return peer;
  }

  /// Once the client has taken the answer, which a reset would cut. Reset, because ports of ended
  /// connections could not be used again for a minute.
  static void Close(int peer) {
    const linger reset{1, 0};
    ::setsockopt(peer, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    ::close(peer);
  }

 private:
  static bool Readable(int socket) {
    pollfd wanted{socket, POLLIN, 0};
    // libFuzzer's alarm, which checks for inputs that take too long, interrupts the wait.
    int ready = -1;
    do ready = ::poll(&wanted, 1, kPatienceMs);
    while (ready < 0 && errno == EINTR);
    return ready == 1;
  }

  int listener_;
  sockaddr_in address_{};
};

HttpCall CallOf(const ByteServer& server, bool in_pieces, std::uint64_t& streamed) {
  HttpCall call;
  call.peer.address = server.Address();
  call.method = "GET";
  call.target = "/";
  call.max_body_bytes = kMaxBodyBytes;
  if (in_pieces) {
    call.on_body = [&streamed](std::string_view bytes,
                               std::optional<std::uint64_t>) -> Result<void> {
      streamed += bytes.size();
      return {};
    };
  }
  return call;
}

}  // namespace
}  // namespace evenkeel::http

/// Everything that one peer of the HTTP client answers. The first byte says how the body is taken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evenkeel;
  using namespace evenkeel::http;
  if (size == 0) return 0;
  static const ByteServer server;
  // Never destroyed: its threads would end after OpenSSL has cleaned up, and what they hold then
  // looks like a leak.
  static HttpClient& client = *new HttpClient;
  std::uint64_t streamed = 0;
  std::promise<Result<HttpReply>> answered;
  client.Send(CallOf(server, data[0] % 2 == 1, streamed),
              [&](Result<HttpReply> reply) { answered.set_value(std::move(reply)); });
  const int peer = server.Answer({reinterpret_cast<const char*>(data) + 1, size - 1});
  const Result<HttpReply> reply = answered.get_future().get();
  ByteServer::Close(peer);
  EVENKEEL_CHECK(streamed <= kMaxBodyBytes, "no more of a body is taken than is allowed");
  if (reply) {
    EVENKEEL_CHECK(reply->status >= 100 && reply->status <= 999, "a status has three digits");
    EVENKEEL_CHECK(reply->body.size() <= kMaxBodyBytes, "a body is no larger than allowed");
  } else {
    EVENKEEL_CHECK(reply.error().message.find('\n') == std::string::npos, "an error is one line");
  }
  return 0;
}
