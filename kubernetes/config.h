#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "kubernetes/credentials.h"

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

/// How to reach an API server and as whom.
struct ClusterConfig {
  std::string server;  ///< "https://10.43.0.1:443"
  TlsSettings tls;
  std::string token;           ///< fixed bearer token; empty: none
  std::string token_file;      ///< instead of `token`: a file that is replaced from time to time
  std::string namespace_name;  ///< of the context or the pod; empty: not said
};

/// The tokens of this configuration; null if it has none. `clock` must outlive them.
[[nodiscard]] std::shared_ptr<TokenSource> MakeTokenSource(const ClusterConfig& config,
                                                           const Clock& clock);

/// The environment of a pod from which it finds its API server.
struct PodSurroundings {
  std::string host;  ///< KUBERNETES_SERVICE_HOST
  std::string port;  ///< KUBERNETES_SERVICE_PORT_HTTPS, else KUBERNETES_SERVICE_PORT
  std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// From the environment of this process. Not while another thread changes it.
[[nodiscard]] PodSurroundings ReadPodSurroundings();

/// The configuration of a process in a pod, with its service account. Errors: kInvalidInput when
/// this is no pod, kUnavailable when the service account's files cannot be read.
[[nodiscard]] Result<ClusterConfig> LoadInClusterConfig(const PodSurroundings& pod);

/// The context of a kubeconfig, and unsafe settings that are allowed.
struct KubeconfigOptions {
  std::string context;  ///< empty: its current-context
  bool allow_insecure_skip_tls_verify = false;
};

/// Reads a kubeconfig as k3s and kubectl write it: certificates and keys in the file (base64) or
/// in files beside it, a token or a tokenFile. Refused with a clear line: exec plugins, auth
/// providers, user and password, proxies, impersonation, and insecure-skip-tls-verify unless
/// allowed. Errors (kInvalidInput or kUnavailable) are one line "FILE: field: what is wrong".
[[nodiscard]] Result<ClusterConfig> LoadKubeconfig(const std::string& file,
                                                   const KubeconfigOptions& options = {});

}  // namespace evenkeel::kube
