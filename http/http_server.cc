#include "http/http_server.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <charconv>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "http/http_session.h"

namespace evenkeel::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// After an accept that failed: most likely there are no descriptors left.
constexpr auto kAcceptPause = std::chrono::milliseconds(200);

Result<tcp::endpoint> Endpoint(const std::string& address) {
  const auto bad = [&address] {
    return InvalidInput(address + ": must be IP:PORT, e.g. 127.0.0.1:7401 or [::1]:7401");
  };
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0) return bad();
  std::string host = address.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const char* const end = address.data() + address.size();
  const auto read = std::from_chars(address.data() + colon + 1, end, port);
  boost::system::error_code error;
  const auto ip = asio::ip::make_address(host, error);
  if (error || read.ec != std::errc() || read.ptr != end) return bad();
  return tcp::endpoint(ip, port);
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpServerOptions& options, HttpHandler& handler)
      : max_connections_(options.max_connections),
        sessions_{handler, options.request_timeout, options.idle_timeout, options.write_timeout,
                  nullptr} {}

  ~BeastServer() override {
    io_.stop();
    for (std::thread& thread : threads_) thread.join();
  }

  Result<void> Listen(const HttpServerOptions& options) {
    const auto endpoint = Endpoint(options.address);
    if (!endpoint) return tl::unexpected(endpoint.error());
    boost::system::error_code error;
    if (options.https) {
      UseCertificate(*options.https, error);
      if (error) return InvalidInput("the certificate for HTTPS is no good: " + error.message());
      sessions_.tls = &tls_;
    }
    OpenAcceptor(*endpoint, error);
    if (error) {
      return Fail(ErrorCode::kUnavailable,
                  "cannot listen on " + options.address + ": " + error.message());
    }
    port_ = acceptor_.local_endpoint().port();
    Accept();
    for (int i = 0; i < options.threads; ++i) threads_.emplace_back([this] { io_.run(); });
    return {};
  }

  [[nodiscard]] std::uint16_t Port() const override { return port_; }

 private:
  void UseCertificate(const HttpIdentity& identity, boost::system::error_code& error) {
    using Context = asio::ssl::context;
    tls_.set_options(Context::default_workarounds | Context::no_sslv2 | Context::no_sslv3 |
                     Context::no_tlsv1 | Context::no_tlsv1_1);
    tls_.use_certificate_chain(asio::buffer(identity.certificate_pem), error);
    if (!error) tls_.use_private_key(asio::buffer(identity.key_pem), Context::pem, error);
  }

  void OpenAcceptor(const tcp::endpoint& endpoint, boost::system::error_code& error) {
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  }

  void Accept() {
    acceptor_.async_accept(
        asio::make_strand(io_), [this](boost::system::error_code error, tcp::socket socket) {
          if (error) return AcceptLater();
          if (connections_ < max_connections_) {
            ++connections_;
            const std::shared_ptr<void> gone(nullptr, [this](void*) { --connections_; });
            ServeConnection(std::move(socket), sessions_, gone);
          }
          Accept();
        });
  }

  void AcceptLater() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](boost::system::error_code error) {
      if (!error) Accept();
    });
  }

  const std::size_t max_connections_;
  std::atomic<std::size_t> connections_{0};
  HttpSessionContext sessions_;
  asio::ssl::context tls_{asio::ssl::context::tls_server};
  asio::io_context io_;  // destroys the sessions that are left
  tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  std::uint16_t port_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                      HttpHandler& handler) {
  auto server = std::make_unique<BeastServer>(options, handler);
  if (const auto listening = server->Listen(options); !listening) {
    return tl::unexpected(listening.error());
  }
  return server;
}

}  // namespace evenkeel::http
