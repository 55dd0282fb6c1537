#include "http/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "http/connection_table.h"
#include "http/endpoint.h"
#include "http/http_session.h"
#include "http/tls_context.h"

namespace evenkeel::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// After an accept that failed: most likely there are no descriptors left.
constexpr auto kAcceptPause = std::chrono::milliseconds(200);

/// An IPv4 address has one text, also if it comes through an IPv6 socket.
std::string AddressOf(const tcp::endpoint& peer) {
  const asio::ip::address address = peer.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  }
  return address.to_string();
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpServerOptions& options, HttpHandler& handler)
      : connections_(options.max_connections, options.max_connections_per_address),
        sessions_{handler, connections_, options.request_timeout, options.idle_timeout,
                  options.write_timeout} {}

  ~BeastServer() override {
    io_.stop();
    for (std::thread& thread : threads_) thread.join();
  }

  Result<void> Listen(const HttpServerOptions& options) {
    const auto endpoint = ParseEndpoint(options.address);
    if (!endpoint) return tl::unexpected(endpoint.error());
    boost::system::error_code error;
    if (options.https) {
      auto context = MakeServerContext(*options.https);
      if (!context) return tl::unexpected(context.error());
      tls_ = std::move(*context);
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

  [[nodiscard]] Result<void> UseIdentity(const HttpIdentity& identity) override {
    auto context = MakeServerContext(identity);
    if (!context) return tl::unexpected(context.error());
    const std::lock_guard lock(tls_mutex_);
    if (!tls_) return InvalidInput("the server has no HTTPS");
    tls_ = std::move(*context);
    return {};
  }

 private:
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
          boost::system::error_code gone;
          const tcp::endpoint peer = socket.remote_endpoint(gone);
          if (!gone) ServeConnection(std::move(socket), AddressOf(peer), sessions_, Tls());
          Accept();
        });
  }

  [[nodiscard]] TlsContext Tls() {
    const std::lock_guard lock(tls_mutex_);
    return tls_;
  }

  void AcceptLater() {
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](boost::system::error_code error) {
      if (!error) Accept();
    });
  }

  ConnectionTable connections_;
  HttpSessionContext sessions_;
  std::mutex tls_mutex_;
  TlsContext tls_;       // guarded by tls_mutex_; null: plain
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
