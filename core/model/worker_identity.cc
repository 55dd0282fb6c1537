#include "core/model/worker_identity.h"

#include <algorithm>

namespace evenkeel::model {
namespace {

constexpr std::string_view kTrustDomain = "spiffe://evenkeel.dev";

/// Lower-case letters, digits, '-' and '.' (RFC 1123), 253 characters at most.
bool IsKubernetesName(std::string_view name) {
  constexpr std::size_t kMaxBytes = 253;
  if (name.empty() || name.size() > kMaxBytes) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

/// Removes "/KEY/VALUE" from the front of `rest` and stores VALUE.
bool TakePart(std::string_view& rest, std::string_view key, std::string& value) {
  const std::string prefix = "/" + std::string(key) + "/";
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  const std::string_view name = rest.substr(0, rest.find('/'));
  if (!IsKubernetesName(name)) return false;
  value = name;
  rest.remove_prefix(name.size());
  return true;
}

}  // namespace

std::string WorkerUri(const WorkerIdentity& identity) {
  return std::string(kTrustDomain) + "/ns/" + identity.namespace_name + "/wj/" + identity.job +
         "/pod/" + identity.pod + "/node/" + identity.node;
}

std::optional<WorkerIdentity> ParseWorkerUri(std::string_view uri) {
  if (!uri.starts_with(kTrustDomain)) return std::nullopt;
  uri.remove_prefix(kTrustDomain.size());
  WorkerIdentity identity;
  const bool is_whole = TakePart(uri, "ns", identity.namespace_name) &&
                        TakePart(uri, "wj", identity.job) && TakePart(uri, "pod", identity.pod) &&
                        TakePart(uri, "node", identity.node) && uri.empty();
  if (!is_whole) return std::nullopt;
  return identity;
}

}  // namespace evenkeel::model
