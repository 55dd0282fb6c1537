#pragma once

#include <cstdint>
#include <vector>

#include "core/model/index_range.h"
#include "core/scheduling/running_means.h"
#include "core/scheduling/task_time_regression.h"

namespace evenkeel::scheduling {

/// Whether tasks take longer the higher their index is, and by how much. Compares only tasks of the
/// same worker, so that unequal workers do not matter. A trend counts if the slope of log(seconds)
/// over the index is three standard errors away from 0. Not thread-safe.
class IndexTrend {
 public:
  enum class Direction { kNone, kRising, kFalling };

  void AddWorker() {
    regression_.AddWorker();
    workers_.emplace_back();
  }
  /// The worker ran these tasks in `seconds` together. O(1).
  void Observe(WorkerId worker, model::IndexRange tasks, double seconds);
  /// O(1).
  [[nodiscard]] Direction Found() const;

  /// Fits the trend of a job of so many tasks again, if there is one and enough was observed since
  /// the last time. True if RelativeCost has changed. O(workers) then.
  bool Refit(std::int64_t tasks);
  /// Some relative costs are not 1.
  [[nodiscard]] bool Fitted() const { return slope_ != 0; }
  /// Variance of the logarithm of the time of a task on one worker around the trend.
  [[nodiscard]] double Variance() const { return regression_.ResidualVariance(); }
  /// How long a task takes relative to the mean task of the job: a line over the index, not below
  /// 0.05. 1 without a trend.
  [[nodiscard]] double RelativeCost(double index) const;

 private:
  /// The tasks of one worker.
  struct Sums {
    RunningMeans means;  // of index and seconds
    double xx = 0;       // around the means: squares of the index
    double xy = 0;       // products of index and seconds
  };

  TaskTimeRegression regression_;  // of log(seconds) over the index
  std::vector<Sums> workers_;
  std::int64_t refit_at_ = 0;  // observations of the regression
  double middle_ = 0;          // index
  double slope_ = 0;           // of the relative cost, per index
};

}  // namespace evenkeel::scheduling
