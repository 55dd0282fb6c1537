#include "cli/kubectl/coordinator_pod.h"

#include <cstdlib>
#include <optional>

#include "cli/kubectl/object_places.h"
#include "core/model/names.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

struct Candidate {
  std::string name;
  std::string name_space;
  std::string phase;
  bool leaving = false;
  long attempt = 0;
};

Candidate ReadPod(const json& pod) {
  Candidate candidate;
  candidate.name = TextAt(pod, "/metadata/name");
  candidate.name_space = TextAt(pod, "/metadata/namespace");
  candidate.phase = TextAt(pod, "/status/phase");
  candidate.leaving = !ValueAt(pod, "/metadata/deletionTimestamp").is_null();
  const std::string attempt = TextAt(pod, "/metadata/annotations/evenkeel.dev~1attempt");
  candidate.attempt = std::strtol(attempt.c_str(), nullptr, 10);
  return candidate;
}

}  // namespace

Result<PodPlace> ChooseCoordinator(const json& list, const std::string& job) {
  std::optional<Candidate> chosen;
  std::string others;
  for (const json& item : ListAt(list, "/items")) {
    Candidate pod = ReadPod(item);
    if (!model::IsDnsSubdomain(pod.name) || !model::IsDnsLabel(pod.name_space)) continue;
    if (pod.phase != "Running" || pod.leaving) {
      others = pod.name + (pod.leaving ? " is being deleted" : " is not running yet");
    } else if (!chosen || pod.attempt > chosen->attempt) {
      chosen = std::move(pod);
    }
  }
  if (chosen) return PodPlace{chosen->name_space, chosen->name};
  if (!others.empty()) return Fail(ErrorCode::kUnavailable, job + ": pod " + others);
  return Fail(ErrorCode::kInternal, job + ": has no coordinator pod");
}

Result<PodPlace> FindCoordinator(Cluster& cluster, const std::string& name_space,
                                 const std::string& job) {
  const auto pods = cluster.Get(
      {"pods", "--namespace=" + name_space, "-l",
       "evenkeel.dev/weighted-job=" + job + ",app.kubernetes.io/component=coordinator"});
  if (!pods) return tl::unexpected(pods.error());
  return ChooseCoordinator(*pods, job);
}

}  // namespace evenkeel::cli
