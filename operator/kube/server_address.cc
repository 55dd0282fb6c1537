#include "operator/kube/server_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace evenkeel::kube {
namespace {

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == ':';
}

bool IsPathCharacter(char c) { return IsHostCharacter(c) || c == '/' || c == '~' || c == '%'; }

bool Is(int family, const std::string& host) {
  in6_addr room{};
  return inet_pton(family, host.c_str(), &room) == 1;
}

/// Takes the host, and what follows it, off the front of `rest`.
std::string TakeHost(std::string_view& rest) {
  if (!rest.empty() && rest.front() == '[') {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return "";
    std::string host(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return Is(AF_INET6, host) ? host : "";
  }
  const std::size_t end = std::min(rest.find_first_of(":/"), rest.size());
  std::string host(rest.substr(0, end));
  rest.remove_prefix(end);
  return host;
}

bool TakePort(std::string_view& rest, std::uint16_t& port) {
  if (rest.empty() || rest.front() != ':') return true;
  const char* const begin = rest.data() + 1;
  const auto read = std::from_chars(begin, rest.data() + rest.size(), port);
  rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
  return read.ec == std::errc{} && port != 0;
}

bool TakeScheme(std::string_view& rest, bool& secure) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!rest.starts_with(scheme)) continue;
    rest.remove_prefix(scheme.size());
    secure = scheme == "https://";
    return true;
  }
  return false;
}

}  // namespace

bool ServerAddress::IsIpAddress() const { return Is(AF_INET, host) || Is(AF_INET6, host); }

std::string ServerAddress::HostAndPort() const {
  return (IsIpV6() ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string ServerAddress::Url() const {
  return (secure ? "https://" : "http://") + HostAndPort() + prefix;
}

Result<ServerAddress> ParseServerAddress(const std::string& url) {
  ServerAddress address;
  std::string_view rest = url;
  const bool has_scheme = TakeScheme(rest, address.secure);
  if (has_scheme) address.host = TakeHost(rest);
  address.port = address.secure ? 443 : 80;
  const bool good = has_scheme && !address.host.empty() &&
                    std::all_of(address.host.begin(), address.host.end(), IsHostCharacter) &&
                    TakePort(rest, address.port) && (rest.empty() || rest.front() == '/') &&
                    std::all_of(rest.begin(), rest.end(), IsPathCharacter);
  if (!good) {
    return InvalidInput("server address " + url.substr(0, 200) +
                        ": must be https://HOST:PORT, an IPv6 address in brackets");
  }
  while (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  address.prefix = rest;
  return address;
}

}  // namespace evenkeel::kube
