#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"

namespace evenkeel::kube {

/// Where a server listens.
struct ServerAddress {
  bool secure = true;      ///< https
  std::string host;        ///< without brackets
  std::uint16_t port = 0;  ///< never 0 once parsed
  std::string prefix;      ///< path before all targets: "" or "/k8s/clusters/c1"

  [[nodiscard]] bool IsIpV6() const { return host.find(':') != std::string::npos; }
  [[nodiscard]] bool IsIpAddress() const;
  /// "10.43.0.1:443", "[::1]:6443"
  [[nodiscard]] std::string HostAndPort() const;
  /// "https://10.43.0.1:443/k8s/clusters/c1"
  [[nodiscard]] std::string Url() const;
};

/// Reads "https://HOST[:PORT][/PREFIX]" or http; IPv6 addresses stand in brackets. No user, query
/// or fragment. Errors (kInvalidInput) are one line.
[[nodiscard]] Result<ServerAddress> ParseServerAddress(const std::string& url);

}  // namespace evenkeel::kube
