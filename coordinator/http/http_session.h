#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <functional>
#include <memory>

#include "coordinator/http/http_server.h"

namespace evenkeel::coordinator {

/// What the sessions of one server have in common; outlives them.
struct HttpSessionContext {
  HttpHandler& handler;
  Duration request_timeout;
  Duration idle_timeout;
  Duration write_timeout;
  boost::asio::ssl::context* tls;  ///< null: plain
};

/// Serves one connection until it ends; keeps itself alive meanwhile. `gone` is destroyed with it.
void ServeConnection(boost::asio::ip::tcp::socket socket, HttpSessionContext& context,
                     std::shared_ptr<void> gone);

}  // namespace evenkeel::coordinator
