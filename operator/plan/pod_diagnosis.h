#pragma once

#include <optional>
#include <string>

#include "cluster/pod.h"
#include "platform/time.h"

namespace evenkeel::plan {

/// The reason that a pod does not run, for a condition.
struct PodProblem {
  std::string reason;   ///< one word in CamelCase
  std::string message;  ///< does not change while the trouble stays the same

  friend bool operator==(const PodProblem&, const PodProblem&) = default;
};

/// The problem of a pod, from its scheduling condition and its containers. Short waits that are
/// part of every start are not problems; `requeue_after` is the time until a short wait becomes
/// one. `delay` is not a problem, but takes long enough that it is reported.
struct Diagnosis {
  std::optional<PodProblem> trouble;
  std::optional<Duration> requeue_after;
  std::optional<PodProblem> delay;
};

[[nodiscard]] Diagnosis DiagnosePod(const cluster::PodView& pod, platform::Timestamp now);

/// True if the image of the pod cannot be had.
[[nodiscard]] bool LacksImage(const cluster::PodView& pod);

/// The coordinator's way to say that it will never work, e.g. because the job's parameters are bad:
/// exit code 2, with the reason as its last words.
[[nodiscard]] bool RefusedItsJob(const cluster::PodView& pod);

}  // namespace evenkeel::plan
