#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "http/http_server.h"

namespace evenkeel::http {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

/// For servers with this identity. TLS 1.2 or later; nothing is kept of past sessions.
/// kInvalidInput if certificate or key cannot be read, or do not belong together.
[[nodiscard]] Result<TlsContext> MakeServerContext(const HttpIdentity& identity);

/// For clients that trust only these authorities (PEM). kInvalidInput if there are none.
[[nodiscard]] Result<TlsContext> MakeClientContext(const std::string& ca_pem);

/// For clients that do not use TLS although their streams could.
[[nodiscard]] Result<TlsContext> MakeClientContext();

}  // namespace evenkeel::http
