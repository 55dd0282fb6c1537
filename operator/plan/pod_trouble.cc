#include "operator/plan/pod_trouble.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace evenkeel::plan {
namespace {

constexpr Duration kSchedulerPatience = std::chrono::seconds(5);
constexpr Duration kStartPatience = std::chrono::seconds(60);
constexpr Duration kCrashMemory = std::chrono::seconds(60);
constexpr std::int32_t kCrashes = 3;
constexpr std::int32_t kBadUsage = 2;

/// Reasons of waiting containers, from kubernetes/pkg/kubelet/images and kuberuntime.
constexpr std::array<std::string_view, 6> kImageReasons{"ErrImagePull",        "ImagePullBackOff",
                                                        "InvalidImageName",    "ErrImageNeverPull",
                                                        "RegistryUnavailable", "ImageInspectError"};
constexpr std::array<std::string_view, 5> kStartReasons{"CreateContainerError", "RunContainerError",
                                                        "PreCreateHookError", "PreStartHookError",
                                                        "PostStartHookError"};

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// What the scheduler's words mean. They begin with a count of nodes that changes with the cluster,
/// but there is no other place where the reason could be read.
Trouble SchedulingTroubleOf(const api::PodView& pod, const std::string& words) {
  const std::string message = "pod " + pod.name + " cannot be scheduled: " + words;
  if (Has(words, "persistentvolumeclaim") && Has(words, "not found")) {
    return {"ClaimMissing", message};
  }
  if (Has(words, "unbound immediate PersistentVolumeClaims") ||
      Has(words, "persistentvolumeclaim")) {
    return {"ClaimNotBound", message};
  }
  if (Has(words, "PersistentVolume's node affinity") || Has(words, "volume node affinity")) {
    return {"WaitingForNode", message + " (the claim is on one node)"};
  }
  return {"Unschedulable", message};
}

Diagnosis Waiting(Trouble trouble, api::Timestamp since, Duration patience, api::Timestamp now) {
  if (now >= since + patience) return {std::move(trouble), std::nullopt};
  return {std::nullopt, since + patience - now};
}

/// Also during the short times between two crashes, in which it runs.
bool KeepsCrashing(const api::PodView& pod, api::Timestamp now) {
  if (pod.restarts < kCrashes || pod.ready) return false;
  if (pod.waiting_reason == "CrashLoopBackOff") return true;
  return pod.termination && pod.termination->finished &&
         now < *pod.termination->finished + kCrashMemory;
}

Trouble Crashing(const api::PodView& pod) {
  std::string how = "its container keeps ending";
  if (pod.termination) {
    how += ", last with exit code " + std::to_string(pod.termination->exit_code);
    if (!pod.termination->reason.empty()) how += " (" + pod.termination->reason + ")";
    if (!pod.termination->message.empty()) how += ": " + pod.termination->message;
  }
  return {"ContainerCrashing", "pod " + pod.name + ": " + how};
}

}  // namespace

bool LacksImage(const api::PodView& pod) {
  return std::find(kImageReasons.begin(), kImageReasons.end(), pod.waiting_reason) !=
         kImageReasons.end();
}

bool RefusedItsJob(const api::PodView& pod) {
  return pod.termination && pod.termination->exit_code == kBadUsage;
}

Diagnosis Diagnose(const api::PodView& pod, api::Timestamp now) {
  if (pod.unscheduled) {
    return Waiting(SchedulingTroubleOf(pod, pod.unscheduled->message), pod.unscheduled->since,
                   kSchedulerPatience, now);
  }
  const std::string& waiting = pod.waiting_reason;
  if (LacksImage(pod)) {
    const std::string why =
        waiting == "InvalidImageName" ? " is no valid name" : " cannot be pulled";
    return {Trouble{"ImagePullFailed", "pod " + pod.name + ": its image " + pod.image + why},
            std::nullopt};
  }
  if (waiting == "CreateContainerConfigError") {
    const bool root = Has(pod.waiting_message, "root");
    return {Trouble{root ? "ImageRunsAsRoot" : "ContainerConfigError",
                    "pod " + pod.name + ": " + pod.waiting_message},
            std::nullopt};
  }
  if (std::find(kStartReasons.begin(), kStartReasons.end(), waiting) != kStartReasons.end()) {
    return {Trouble{"ContainerCannotStart", "pod " + pod.name + ": " + pod.waiting_message},
            std::nullopt};
  }
  if (KeepsCrashing(pod, now)) {
    return {Crashing(pod), waiting.empty() ? std::optional(kCrashMemory) : std::nullopt};
  }
  if (waiting == "ContainerCreating" || waiting == "PodInitializing") {
    return Waiting({"VolumesNotReady",
                    "pod " + pod.name +
                        " has been starting for over a minute; it may lack a volume, a config map "
                        "or a secret"},
                   pod.created, kStartPatience, now);
  }
  return {};
}

}  // namespace evenkeel::plan
