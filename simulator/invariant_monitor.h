#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/engine/progress.h"
#include "core/model/index_range.h"

namespace evenkeel::simulator {

/// Number of times that each invariant was violated.
struct Violations {
  std::int64_t leased_though_durable = 0;  ///< tasks leased although their result was durable
  std::int64_t side_by_side = 0;  ///< runs of a task that began while another worker ran it
  std::int64_t sent_after_end =
      0;  ///< messages and records of a coordinator that had ended the job
  std::int64_t progress_losses = 0;    ///< fewer tasks durable, or less work done, than before
  std::int64_t retried_in_place = 0;   ///< retries on a node that had failed the task, though a
                                       ///< connected node had not
  std::int64_t lost_though_heard = 0;  ///< connected workers declared lost although one of their
                                       ///< messages had arrived within the lease
};

/// Checks from outside of the engine what no single process can see. Not thread-safe.
class InvariantMonitor {
 public:
  /// `tasks`: number of tasks whose runs are reported to it; 0 if none are.
  InvariantMonitor(std::size_t tasks, std::size_t nodes);

  /// `node` runs these tasks from now on, until OnRunEnded.
  void OnRunBegan(std::size_t node, model::IndexRange batch);
  void OnRunEnded(std::size_t node, model::IndexRange batch);
  /// A stalled node runs nothing, although its batches have not ended.
  void OnStalled(std::size_t node, bool stalled);

  void OnProgress(const engine::Progress& progress, std::uint64_t epoch);
  void OnLeasedThoughDurable(std::int64_t tasks) { violations_.leased_though_durable += tasks; }
  void OnLostThoughHeard() { ++violations_.lost_though_heard; }
  void OnSentAfterEnd() { ++violations_.sent_after_end; }

  /// A coordinator starts that knows of no failures but those reported next.
  void OnCoordinatorStarted() { failed_on_.clear(); }
  void OnFailureRecorded(model::TaskIndex task, const std::string& node);
  /// `node` gets a lease to try the task again.
  void OnRetryLeased(model::TaskIndex task, const std::string& node,
                     const engine::Progress& progress);

  [[nodiscard]] const Violations& violations() const { return violations_; }

 private:
  [[nodiscard]] bool RunsElsewhere(model::TaskIndex task, std::size_t node) const;

  std::vector<std::multiset<std::size_t>> runners_;  // of each task
  std::vector<bool> stalled_;
  std::map<model::TaskIndex, std::set<std::string>> failed_on_;
  std::int64_t durable_ = 0;
  double done_ratio_ = 0;
  std::int64_t tasks_ = 0;
  std::uint64_t epoch_ = 0;
  Violations violations_;
};

}  // namespace evenkeel::simulator
