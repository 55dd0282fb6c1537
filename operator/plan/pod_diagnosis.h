#pragma once

#include <optional>
#include <string>

#include "cluster/pod.h"
#include "cluster/timestamp.h"

namespace evenkeel::plan {

/// What keeps a pod from running, for a condition.
struct Trouble {
  std::string reason;   ///< one word in CamelCase
  std::string message;  ///< does not change while the trouble stays the same

  friend bool operator==(const Trouble&, const Trouble&) = default;
};

/// What is wrong with a pod, as its scheduling and its containers say it. Short waits that are a
/// part of every start are none. `look_again` is when a wait that is still short becomes one.
/// `delay` is nothing wrong, but takes so long that people ask.
struct Diagnosis {
  std::optional<Trouble> trouble;
  std::optional<Duration> look_again;
  std::optional<Trouble> delay;
};

[[nodiscard]] Diagnosis Diagnose(const api::PodView& pod, api::Timestamp now);

/// True if the image of the pod cannot be had.
[[nodiscard]] bool LacksImage(const api::PodView& pod);

/// The coordinator's way to say that it will never work, e.g. because the job's parameters are bad:
/// exit code 2, with the reason as its last words.
[[nodiscard]] bool RefusedItsJob(const api::PodView& pod);

}  // namespace evenkeel::plan
