#pragma once

#include <cstdint>
#include <vector>

#include "core/scheduling/chunks/task_times.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// Sums over the chunks of one worker, the k-th one counting k times: what adaptive weighted
/// factoring weighs by (Carino and Banicescu 2008).
struct ChunkHistory {
  double tasks = 0;         ///< sum of k n_k
  double busy_seconds = 0;  ///< sum of k t_k, the time in tasks alone
  double all_seconds = 0;   ///< the same from the request for a chunk to the next one
  std::int64_t chunks = 0;
};

/// What rules for the size of chunks may know of the job: N, P, weights as told, and what was
/// measured. "Worker" is a node: its threads share a chunk. Not thread-safe.
class LoopState {
 public:
  /// `dispatch_seconds`: h, what it takes to hand out a chunk.
  LoopState(std::int64_t tasks, double dispatch_seconds)
      : tasks_(tasks), dispatch_seconds_(dispatch_seconds) {}

  /// The next worker; `weight` >= 0.
  void AddWorker(double weight);
  void SetAlive(WorkerId worker, bool alive);
  void AddTasks(std::int64_t tasks) { tasks_ += tasks; }
  /// A report: `tasks` > 0 kept the worker busy for `seconds`.
  void Observe(WorkerId worker, std::int64_t tasks, double seconds);
  /// Between two requests of the worker it ran `tasks` > 0 tasks.
  void EndChunk(WorkerId worker, std::int64_t tasks, double busy_seconds, double all_seconds);

  /// N
  [[nodiscard]] std::int64_t Tasks() const { return tasks_; }
  /// P: those alive, at least 1.
  [[nodiscard]] std::int64_t Workers() const { return alive_ > 0 ? alive_ : 1; }
  /// h
  [[nodiscard]] double DispatchSeconds() const { return dispatch_seconds_; }
  /// Of those alive and lost.
  [[nodiscard]] std::size_t Places() const { return workers_.size(); }
  [[nodiscard]] bool Alive(WorkerId worker) const { return workers_[worker.value].alive; }
  /// As told, scaled so that the weights of those alive add up to P.
  [[nodiscard]] double Weight(WorkerId worker) const;
  [[nodiscard]] const TaskTimes& Times(WorkerId worker) const {
    return workers_[worker.value].times;
  }
  /// Of all workers together.
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
  double weight_sum_ = 0;  // of those alive
  TaskTimes times_;
};

/// ceil(a / b) for a >= 0, b > 0.
[[nodiscard]] constexpr std::int64_t CeilDivide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace evenkeel::scheduling
