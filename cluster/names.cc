#include "cluster/names.h"

#include <cstdio>

namespace evenkeel::cluster {
namespace {

/// A pod's name is the name of its host, which may not be longer (RFC 1123).
constexpr std::size_t kMaxHostName = 63;

std::string Named(std::string_view job, std::string_view suffix) {
  return std::string(job).append(suffix);
}

}  // namespace

std::string PlanName(std::string_view job) { return Named(job, "-plan"); }

std::string CoordinatorSecretName(std::string_view job) { return Named(job, "-coordinator-tls"); }

std::string WorkerSecretName(std::string_view job, std::string_view pod, std::int32_t secrets) {
  const auto index = Fnv1a(pod) % static_cast<std::uint32_t>(secrets);
  return WorkerSecretNames(job, secrets)[index];
}

std::vector<std::string> WorkerSecretNames(std::string_view job, std::int32_t secrets) {
  std::vector<std::string> names{Named(job, "-worker-tls")};
  for (std::int32_t i = 2; i <= secrets; ++i) names.push_back(names[0] + "-" + std::to_string(i));
  return names;
}

std::string CoordinatorName(std::string_view job) { return Named(job, "-coordinator"); }

std::string WorkerName(std::string_view job) { return Named(job, "-worker"); }

std::string SnapshotName(std::string_view job) { return Named(job, "-snapshot"); }

std::string CoordinatorPodName(std::string_view job, std::int64_t attempt) {
  return CoordinatorName(job) + "-" + std::to_string(attempt);
}

std::string WorkerPodName(std::string_view job, std::string_view node) {
  char hash[16];
  const int hash_size =
      std::snprintf(hash, sizeof hash, "-%08x", static_cast<unsigned>(Fnv1a(node)));
  std::string name = WorkerName(job);
  const std::size_t taken = name.size() + static_cast<std::size_t>(hash_size) + 1;
  std::string_view host = node.substr(0, node.find('.'));
  host = host.substr(0, taken < kMaxHostName ? kMaxHostName - taken : 0);
  while (!host.empty() && host.back() == '-') host.remove_suffix(1);
  if (!host.empty()) name.append("-").append(host);
  return name + hash;
}

std::string CoordinatorAddress(std::string_view job, std::string_view namespace_name) {
  return CoordinatorName(job) + "." + std::string(namespace_name) +
         ".svc:" + std::to_string(port::kWorkers);
}

std::string ClaimFolder(std::string_view job, std::string_view uid) {
  return std::string(job) + "-" + std::string(uid.substr(0, 8));
}

std::uint32_t Fnv1a(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 16777619U;
  }
  return hash;
}

}  // namespace evenkeel::cluster
