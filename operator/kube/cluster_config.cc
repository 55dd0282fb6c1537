#include "operator/kube/cluster_config.h"

#include <cstdlib>

#include "operator/kube/bounded_file.h"
#include "operator/kube/server_address.h"

namespace evenkeel::kube {
namespace {

constexpr std::size_t kMaxCaBytes = 1u << 20;
constexpr std::size_t kMaxNamespaceBytes = 1024;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Trimmed(std::string text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= 0x20) text.pop_back();
  return text;
}

}  // namespace

std::shared_ptr<TokenSource> MakeTokenSource(const ClusterConfig& config, const Clock& clock) {
  if (!config.token_file.empty()) return std::make_shared<TokenSource>(config.token_file, clock);
  if (!config.token.empty()) return std::make_shared<TokenSource>(config.token);
  return nullptr;
}

PodSurroundings ReadPodSurroundings() {
  PodSurroundings pod;
  pod.host = Variable("KUBERNETES_SERVICE_HOST");
  pod.port = Variable("KUBERNETES_SERVICE_PORT_HTTPS");
  if (pod.port.empty()) pod.port = Variable("KUBERNETES_SERVICE_PORT");
  return pod;
}

Result<ClusterConfig> LoadInClusterConfig(const PodSurroundings& pod) {
  if (pod.host.empty() || pod.port.empty()) {
    return InvalidInput(
        "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be set");
  }
  const bool is_ipv6 = pod.host.find(':') != std::string::npos;
  const auto server =
      ParseServerAddress("https://" + (is_ipv6 ? "[" + pod.host + "]" : pod.host) + ":" + pod.port);
  if (!server) return tl::unexpected(server.error());
  auto ca = ReadBoundedFile(pod.folder + "/ca.crt", kMaxCaBytes);
  if (!ca) return tl::unexpected(ca.error());

  ClusterConfig config;
  config.server = server->Url();
  config.tls.ca_pem = *std::move(ca);
  config.token_file = pod.folder + "/token";
  // The namespace is of use, but nothing depends on it.
  const auto name_space = ReadBoundedFile(pod.folder + "/namespace", kMaxNamespaceBytes);
  if (name_space) config.name_space = Trimmed(*name_space);
  return config;
}

}  // namespace evenkeel::kube
