#pragma once

#include <optional>
#include <string>

#include "cluster/pod.h"
#include "platform/time.h"

namespace evenkeel::plan {

/// What keeps a pod from running, for a condition.
struct PodProblem {
  std::string reason;   ///< one word in CamelCase
  std::string message;  ///< does not change while the trouble stays the same

  friend bool operator==(const PodProblem&, const PodProblem&) = default;
};

/// What is wrong with a pod, as its scheduling and its containers say it. Short waits that are a
/// part of every start are none. `requeue_after` is when a wait that is still short becomes one.
/// `delay` is nothing wrong, but takes so long that people ask.
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
