#include "operator/plan/pod_diagnosis.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cluster/names.h"

namespace evenkeel::plan {
namespace {

constexpr Duration kSchedulerPatience = std::chrono::seconds(5);
constexpr Duration kStartPatience = std::chrono::seconds(60);
constexpr Duration kPullPatience = std::chrono::seconds(5);
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

/// Classifies the scheduler's message. Its text begins with a count of nodes that changes with the
/// cluster, but it is the only source of the reason.
PodProblem SchedulingTroubleOf(const cluster::PodView& pod, const std::string& words) {
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

Diagnosis Waiting(PodProblem trouble, platform::Timestamp since, Duration patience,
                  platform::Timestamp now) {
  if (now >= since + patience) return {std::move(trouble), std::nullopt, std::nullopt};
  return {std::nullopt, since + patience - now, std::nullopt};
}

std::string PodAnd(const cluster::PodView& pod, const std::string& words) {
  return "pod " + pod.name + ": " + words;
}

/// Names the container. That of a command is the user's, so the reason may be there.
std::string ContainerOf(const cluster::PodView& pod) {
  if (pod.is_injected) return "container " + pod.container + ", which others have added to it,";
  return pod.container == cluster::kCommandContainer ? "the container of its command"
                                                     : "its container";
}

/// Words of kubernetes/pkg/kubelet/kuberuntime, security_context_others.go: a user without a number
/// is mentioned together with "non-root".
PodProblem ConfigTroubleOf(const cluster::PodView& pod) {
  static const std::string kRemedy =
      "; name a user in spec.worker.template.securityContext.runAsUser, or build the image with "
      "a numeric one";
  const std::string& words = pod.waiting_message;
  if (Has(words, "non-numeric user")) {
    return {"ImageUserUnknown",
            PodAnd(pod, "its image " + pod.image +
                            " has a user without a number, so it is unknown whether it is root" +
                            kRemedy)};
  }
  if (Has(words, "root")) {
    return {"ImageRunsAsRoot",
            PodAnd(pod, "its image " + pod.image + " would run as root" + kRemedy)};
  }
  return {"ContainerConfigError", PodAnd(pod, words)};
}

/// With the init containers done the volumes are there; what is still to come is the image.
bool PullsImage(const cluster::PodView& pod) {
  return pod.waiting_reason == "PodInitializing" && pod.initialized.has_value();
}

Diagnosis Pulling(const cluster::PodView& pod, platform::Timestamp now) {
  Diagnosis diagnosis =
      Waiting({"PullingImage",
               PodAnd(pod, "its image " + pod.image +
                               " is being pulled, which may take minutes on a small board")},
              *pod.initialized, kPullPatience, now);
  std::swap(diagnosis.trouble, diagnosis.delay);
  return diagnosis;
}

Diagnosis Wrong(PodProblem trouble) { return {std::move(trouble), std::nullopt, std::nullopt}; }

/// Also during the short times between two crashes, in which it runs.
bool KeepsCrashing(const cluster::PodView& pod, platform::Timestamp now) {
  if (pod.restarts < kCrashes || pod.ready) return false;
  if (pod.waiting_reason == "CrashLoopBackOff") return true;
  return pod.termination && pod.termination->finished &&
         now < *pod.termination->finished + kCrashMemory;
}

PodProblem Crashing(const cluster::PodView& pod) {
  std::string how = ContainerOf(pod) + " keeps ending";
  if (pod.termination && !pod.is_injected) {
    how += ", last with exit code " + std::to_string(pod.termination->exit_code);
    if (!pod.termination->reason.empty()) how += " (" + pod.termination->reason + ")";
    if (!pod.termination->message.empty()) how += ": " + pod.termination->message;
  }
  return {"ContainerCrashing", PodAnd(pod, how)};
}

}  // namespace

bool LacksImage(const cluster::PodView& pod) {
  return std::find(kImageReasons.begin(), kImageReasons.end(), pod.waiting_reason) !=
         kImageReasons.end();
}

bool RefusedItsJob(const cluster::PodView& pod) {
  return pod.termination && pod.termination->exit_code == kBadUsage;
}

Diagnosis DiagnosePod(const cluster::PodView& pod, platform::Timestamp now) {
  if (pod.unscheduled) {
    return Waiting(SchedulingTroubleOf(pod, pod.unscheduled->message), pod.unscheduled->since,
                   kSchedulerPatience, now);
  }
  const std::string& waiting = pod.waiting_reason;
  if (LacksImage(pod)) {
    const std::string why =
        waiting == "InvalidImageName" ? " is no valid name" : " cannot be pulled";
    return Wrong({"ImagePullFailed", PodAnd(pod, "its image " + pod.image + why)});
  }
  if (waiting == "CreateContainerConfigError") return Wrong(ConfigTroubleOf(pod));
  if (std::find(kStartReasons.begin(), kStartReasons.end(), waiting) != kStartReasons.end()) {
    return Wrong({"ContainerCannotStart", PodAnd(pod, pod.waiting_message)});
  }
  if (KeepsCrashing(pod, now)) {
    return {Crashing(pod), waiting.empty() ? std::optional(kCrashMemory) : std::nullopt,
            std::nullopt};
  }
  if (PullsImage(pod)) return Pulling(pod, now);
  if (waiting == "ContainerCreating" || waiting == "PodInitializing") {
    return Waiting(
        {"VolumesNotReady",
         "pod " + pod.name +
             " has been starting for over a minute; it may be pulling its image, or lack a "
             "volume, a config map or a secret"},
        pod.created, kStartPatience, now);
  }
  return {};
}

}  // namespace evenkeel::plan
