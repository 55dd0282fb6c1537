#pragma once

#include <cstdint>
#include <optional>

#include "core/model/cost_model.h"
#include "core/scheduling/task_time_regression.h"

namespace evenkeel::scheduling {

/// Whether declared costs say anything about the times of tasks.
///
/// With errors in the costs, log(seconds) rises by less than log(cost): by the reliability ratio,
/// the variance of the true part of log(cost) over that of all of it (Fuller, "Measurement Error
/// Models", 1987, section 1.1). The slope is that within workers (TaskTimeRegression). Down to a
/// slope of 0.1 costs are worth having: they say which tasks are likely the longest, and with heavy
/// tails the slope of the many short tasks says little of the few long ones. Not
/// thread-safe. All calls O(1).
class CostReliability {
 public:
  void AddWorker() { regression_.AddWorker(); }
  /// The worker ran tasks of together `cost` units, > 0, in `seconds`.
  void Observe(WorkerId worker, std::int64_t tasks, model::Cost cost, double seconds);
  /// The slope is below 0.1 by more than two standard errors, of `tasks` in all. The tasks that end
  /// first are the short ones of each cost, which makes the slope smaller: so half of all tasks
  /// must have been observed, and 8 per worker, unless the observed ones take equally long to
  /// within 5 %.
  [[nodiscard]] bool CostsAreNoise(std::int64_t tasks) const;
  /// The slope so far; nothing with fewer than 6 degrees of freedom, or if costs never differed.
  [[nodiscard]] std::optional<TaskTimeRegression::Slope> Slope() const { return regression_.Fit(); }
  /// Variance of the logarithm of the time of a task on one worker around what follows from its
  /// cost; 0 with fewer than 6 degrees of freedom.
  [[nodiscard]] double VarianceAroundCosts() const { return regression_.ResidualVariance(); }
  /// The same, if all tasks are taken as equal.
  [[nodiscard]] double VarianceOfEqualTasks() const { return regression_.VarianceOfTimes(); }

 private:
  TaskTimeRegression regression_;  // over log(cost a task)
  std::int64_t observed_tasks_ = 0;
};

}  // namespace evenkeel::scheduling
