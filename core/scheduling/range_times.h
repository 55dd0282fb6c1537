#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// How long a worker's thread takes for a range of n consecutive tasks that one run of a program
/// does: a + b n, with the time a to start the program and the time b of a task. Seconds.
struct RangeTime {
  double startup = 0;
  double per_task = 0;

  [[nodiscard]] double Of(double tasks) const { return startup + per_task * tasks; }
};

/// Learns the times of ranges, per worker. The ratio r = a / b, in tasks, is alike on all workers
/// as far as starting and working take the same processor, so all measurements together give a
/// first r: the one with the least sum of squares of log(t) - log(r + n) around the mean of each
/// worker (times err by a factor, and workers differ by one). With its own measurements a worker
/// departs from it: the distance of log(1 + r) to the common one is added to its own squares. Then
/// b = sum t / sum (r + n). The latest 8 measurements of each worker count. Deterministic on all
/// architectures. Not thread-safe.
class RangeTimes {
 public:
  void AddWorker() { workers_.emplace_back(); }
  /// One run on one thread of the worker did `tasks` > 0 in `seconds` > 0.
  void Observe(WorkerId worker, std::int64_t tasks, double seconds);
  /// Nothing before the worker's first measurement.
  [[nodiscard]] std::optional<RangeTime> Of(WorkerId worker) const;
  /// The common ratio r, in tasks; 0 while nothing tells it from 0.
  [[nodiscard]] double StartupTasks() const { return common_; }

 private:
  struct Measurement {
    double tasks = 0;
    double seconds = 0;
  };
  struct Worker {
    std::deque<Measurement> latest{};
    RangeTime time{};           // as fitted last
    bool is_fitted = false;     // to `latest`
    double fitted_common = -1;  // the common ratio then
  };
  [[nodiscard]] static double Squares(const Worker& worker, double startup_tasks);
  void FitCommon();
  void Fit(Worker& worker) const;

  mutable std::vector<Worker> workers_;  // Of keeps what it has fitted
  double common_ = 0;
};

}  // namespace evenkeel::scheduling
