#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "http/connection_table.h"
#include "http/http_server.h"
#include "http/tls_context.h"

namespace evenkeel::http {

/// What the sessions of one server have in common; outlives them.
struct HttpSessionContext {
  HttpHandler& handler;
  ConnectionTable& connections;
  Duration request_timeout;
  Duration idle_timeout;
  Duration write_timeout;
};

/// Serves one connection from `address` until it ends, if the table of connections admits it; keeps
/// itself alive meanwhile. `tls` is null for plain HTTP. The executor of `socket` is a strand.
void ServeConnection(boost::asio::ip::tcp::socket socket, const std::string& address,
                     HttpSessionContext& context, TlsContext tls);

}  // namespace evenkeel::http
