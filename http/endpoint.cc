#include "http/endpoint.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace evenkeel::http {

Result<boost::asio::ip::tcp::endpoint> ParseEndpoint(const std::string& address) {
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
  const auto ip = boost::asio::ip::make_address(host, error);
  if (error || read.ec != std::errc() || read.ptr != end) return bad();
  return boost::asio::ip::tcp::endpoint(ip, port);
}

}  // namespace evenkeel::http
