#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "operator/api/job_status.h"
#include "operator/plan/action.h"

namespace evenkeel::plan {

/// An event about the job.
struct Event {
  bool warning = false;
  std::string reason;  ///< one word in CamelCase
  std::string note;    ///< one line, at most 1,000 bytes
  /// To be told once the status that says the same is written; else with the actions.
  bool of_status = false;

  friend bool operator==(const Event&, const Event&) = default;
};

/// What is to be done for one job now. A plain value.
struct Plan {
  /// In this order; after one that failed the rest waits for the next plan.
  std::vector<Action> actions;
  /// The whole status, if it is to be written: after the actions, even if one of them failed.
  std::optional<api::JobStatus> status;
  bool status_is_urgent = false;  ///< before other jobs' figures
  std::vector<Event> events;
  /// Nodes are to be weighed, and Snapshot::history is not there yet though it could be. Nothing
  /// else in this plan counts: it is to be made again with the history.
  bool wants_history = false;
  /// Look again after this time, even if nothing changes until then.
  std::optional<Duration> requeue_after;

  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace evenkeel::plan
