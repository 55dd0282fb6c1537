#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/time.h"
#include "operator/plan/plan_builder.h"
#include "platform/backoff.h"

namespace evenkeel::plan {

/// How long to wait after an attempt that failed before the next one: 10 s, 20 s, 40 s ... at most
/// 6 min, as batch/v1 does it for pods.
[[nodiscard]] inline Duration BackoffAfter(std::int64_t attempt) {
  return platform::ExponentialPause(
      {.shortest = std::chrono::seconds(10), .longest = std::chrono::minutes(6)}, attempt - 1);
}

/// A coordinator that has not answered for so long cannot be reached.
inline constexpr Duration kLongestSilence = std::chrono::seconds(60);

/// The state of the latest coordinator.
enum class CoordinatorHealth {
  kNone,          ///< this run has had none yet
  kAlive,         ///< there is one, though perhaps not ready yet
  kNodeNotReady,  ///< alive, but its node is not ready; the node gets some time to recover
  kTerminating,   ///< it is shutting down in good order: its successor waits
  kLost,          ///< there has to be another one
};

struct CoordinatorAssessment {
  CoordinatorHealth kind = CoordinatorHealth::kNone;
  const cluster::PodView* pod = nullptr;  ///< unless there is none
  std::string why;                        ///< with kNodeNotReady and kLost: what happened to it
  /// When this changes by itself; with kLost: when there may be another one, at once if not set.
  std::optional<Duration> requeue_after;
  std::int64_t next_attempt = 1;  ///< of a coordinator made now
};

/// Judges the pod of the highest attempt, by the table of what survives what:
///
/// - A pod that has ended, or is gone, is lost. If others ended before it, the next one waits for a
///   back-off. One that is being deleted is too if there is no
///   claim, for what it knew goes with it. With a claim it is given the time to close its journal.
/// - A pod on a lost node is not waited for: it may never be deleted. With a claim it is replaced
///   after 30 s, for little is lost if the node comes back (the lower epoch stops). Without one,
///   after 120 s, since all that was done is lost.
[[nodiscard]] CoordinatorAssessment AssessCoordinator(const PlanBuilder& builder,
                                                      std::int64_t first_attempt,
                                                      std::int64_t attempt_seen);

}  // namespace evenkeel::plan
