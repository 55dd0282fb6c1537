#pragma once

#include <cstdint>
#include <vector>

#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// Mean and spread of the time of one task, from reports of several tasks each. A report's mean
/// over n tasks x has a variance of 1/n of one task's, so n (x - mean)^2, averaged over the
/// reports, estimates that of one task. Not thread-safe.
class TaskTimes {
 public:
  /// `tasks` > 0 took `seconds` together.
  void Observe(std::int64_t tasks, double seconds) {
    const auto count = static_cast<double>(tasks);
    const double x = seconds / count;
    const double before = x - mean_;
    tasks_ += count;
    mean_ += before * count / tasks_;
    squares_ += count * before * (x - mean_);
    ++reports_;
  }

  [[nodiscard]] bool Any() const { return reports_ > 0; }
  /// Whether the variance is known.
  [[nodiscard]] bool Several() const { return reports_ > 1; }
  [[nodiscard]] double Tasks() const { return tasks_; }
  /// Seconds; 0 if there was no report.
  [[nodiscard]] double Mean() const { return mean_; }
  /// Seconds squared; 0 if there were not Several().
  [[nodiscard]] double Variance() const {
    return Several() ? squares_ / static_cast<double>(reports_ - 1) : 0;
  }

 private:
  double tasks_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  std::int64_t reports_ = 0;
};

/// Sums over the chunks of one worker, the k-th one counting k times: what adaptive weighted
/// factoring weighs by (Carino and Banicescu 2008).
struct ChunkHistory {
  double tasks = 0;         ///< sum of k n_k
  double busy_seconds = 0;  ///< sum of k t_k, the time in tasks alone
  double all_seconds = 0;   ///< the same from the request for a chunk to the next one
  std::int64_t chunks = 0;
};

/// The state of a job that chunk rules read: N, P, the declared weights and the measured times. A
/// worker is a node: its threads share a chunk. Not thread-safe.
class LoopState {
 public:
  /// `dispatch_seconds`: h, the time to hand out a chunk.
  LoopState(std::int64_t tasks, double dispatch_seconds)
      : tasks_(tasks), dispatch_seconds_(dispatch_seconds) {}

  /// The next worker; `weight` >= 0.
  void AddWorker(double weight);
  void SetAlive(WorkerId worker, bool alive);
  void AddTasks(std::int64_t tasks) { tasks_ += tasks; }
  /// A report said that the worker computed `tasks` > 0 tasks in `seconds`.
  void Observe(WorkerId worker, std::int64_t tasks, double seconds);
  /// Between two requests of the worker it ran `tasks` > 0 tasks.
  void EndChunk(WorkerId worker, std::int64_t tasks, double busy_seconds, double all_seconds);

  /// N
  [[nodiscard]] std::int64_t Tasks() const { return tasks_; }
  /// P: the number of living workers, at least 1.
  [[nodiscard]] std::int64_t Workers() const { return alive_ > 0 ? alive_ : 1; }
  /// h
  [[nodiscard]] double DispatchSeconds() const { return dispatch_seconds_; }
  /// Number of workers, lost ones included.
  [[nodiscard]] std::size_t Places() const { return workers_.size(); }
  [[nodiscard]] bool Alive(WorkerId worker) const { return workers_[worker.value].alive; }
  /// The declared weight, scaled so that the weights of the living workers sum to P.
  [[nodiscard]] double Weight(WorkerId worker) const;
  [[nodiscard]] const TaskTimes& Times(WorkerId worker) const {
    return workers_[worker.value].times;
  }
  /// Times of all workers together.
  [[nodiscard]] const TaskTimes& Times() const { return times_; }
  [[nodiscard]] const ChunkHistory& Chunks(WorkerId worker) const {
    return workers_[worker.value].chunks;
  }

 private:
  struct Worker {
    double weight = 1;
    bool alive = true;
    TaskTimes times;
    ChunkHistory chunks;
  };
  std::int64_t tasks_;
  double dispatch_seconds_;
  std::vector<Worker> workers_;
  std::int64_t alive_ = 0;
  double weight_sum_ = 0;  // of the living workers
  TaskTimes times_;
};

/// ceil(a / b) for a >= 0, b > 0.
[[nodiscard]] constexpr std::int64_t CeilDivide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace evenkeel::scheduling
