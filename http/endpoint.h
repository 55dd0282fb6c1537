#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "core/base/error.h"

namespace evenkeel::http {

/// Reads "IP:PORT" or "[IP]:PORT". Names are not resolved. kInvalidInput otherwise.
[[nodiscard]] Result<boost::asio::ip::tcp::endpoint> ParseEndpoint(const std::string& address);

}  // namespace evenkeel::http
