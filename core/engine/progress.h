#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/cost_model.h"
#include "core/model/node_statistics.h"
#include "core/model/run_record.h"
#include "core/model/task_facts.h"

namespace evenkeel::engine {

/// Maximum number of ranges in a printed list of failed tasks.
inline constexpr std::size_t kMaxFailedRangesShown = 64;

/// A node's statistics and its state now.
struct NodeProgress : model::NodeStatistics {
  bool connected = false;
  bool lost = false;
  bool runs_alone = false;  ///< is reserved for tasks that run alone, one range at a time
  std::int64_t leased = 0;  ///< tasks
};

/// A snapshot of a run for people, on the job's own time line.
struct Progress {
  std::int64_t tasks_total = 0;
  std::int64_t tasks_completed = 0;  ///< durable
  std::int64_t tasks_failed = 0;     ///< for good
  double cost_done_ratio = 0;        ///< share of the cost that is done, 0..1
  model::Cost cost_total = 0;        ///< of all tasks
  model::Cost cost_longest = 0;      ///< of the task with the highest cost
  Duration elapsed{};
  std::optional<Duration> eta;  ///< when the job will end, from now
  Duration eta_sigma{};
  Duration startup{};       ///< until the first task started; 0 while none has
  Duration last_durable{};  ///< end of the last durable result
  double wasted_seconds = 0;
  std::int64_t messages = 0;
  model::MoveCounts moves;
  std::int64_t recalls_failed = 0;  ///< recalls that brought no task in time
  std::string failed_indexes;
  /// If results are verified, or were when a node was left out.
  std::optional<model::VerificationSummary> verification;
  model::CostFindings costs;
  model::FailedAttempts failed_attempts;
  model::TasksAlone alone;
  std::vector<NodeProgress> nodes;
};

}  // namespace evenkeel::engine
