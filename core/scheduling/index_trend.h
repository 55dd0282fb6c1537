#pragma once

#include <cstdint>
#include <vector>

#include "core/model/index_range.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// Whether tasks take longer the higher their index is. Compares only tasks of the same worker, so
/// that unequal workers do not matter: the slope of log(seconds) over the index, common to all
/// workers, by least squares with a constant per worker (the within estimator; Wooldridge,
/// "Econometric Analysis of Cross Section and Panel Data", 2002, section 10.5). A trend counts if
/// the slope is three standard errors away from 0. Not thread-safe. All calls O(1).
class IndexTrend {
 public:
  enum class Direction { kNone, kRising, kFalling };

  void AddWorker() { workers_.emplace_back(); }
  /// The worker ran these tasks in `seconds` together.
  void Observe(WorkerId worker, model::IndexRange tasks, double seconds);
  [[nodiscard]] Direction Found() const;

 private:
  /// Weighted means of one worker.
  struct Means {
    double weight = 0;
    double x = 0;
    double y = 0;
  };

  std::vector<Means> workers_;
  // Sums of squares and products over all workers, around the means of each.
  double xx_ = 0;
  double xy_ = 0;
  double yy_ = 0;
  std::int64_t observations_ = 0;
  std::int64_t observed_workers_ = 0;
};

}  // namespace evenkeel::scheduling
