#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/packed_results.h"
#include "core/model/range_set.h"
#include "core/model/run_record.h"
#include "core/model/task_failure.h"
#include "simulator/simulation_config.h"

namespace evenkeel::simulator {

/// The input of a task in a simulation whose tasks have inputs.
[[nodiscard]] std::string InputOf(model::TaskIndex index);

/// The true costs of tasks, the failures of their runs, and how often each task was run and became
/// durable.
/// Not thread-safe.
class SimulatedTasks {
 public:
  /// `config` must outlive it.
  explicit SimulatedTasks(const SimulationConfig& config);

  /// Seconds at speed 1.
  [[nodiscard]] double Seconds(model::TaskIndex task) const {
    return config_.true_costs[static_cast<std::size_t>(task)];
  }
  /// A worker begins to run these tasks; returns their seconds at speed 1.
  double Begin(model::IndexRange tasks);
  /// A run of the task, which could use so many bytes of memory, ends. Appends its result unless it
  /// fails.
  [[nodiscard]] std::optional<model::TaskFailure> End(model::TaskIndex task,
                                                      std::int64_t memory_bytes,
                                                      model::PackedResults& results);

  void CountDurable(const model::ResultRecord& record);
  void CountAcknowledged(const std::vector<model::IndexRange>& ranges);

  /// Of each task; empty without account_tasks.
  [[nodiscard]] const std::vector<std::int64_t>& times_run() const { return times_run_; }
  [[nodiscard]] const std::vector<std::int64_t>& times_durable() const { return times_durable_; }
  /// Runs that began after a worker knew that the result is durable.
  [[nodiscard]] std::int64_t run_after_acknowledged() const { return run_after_acknowledged_; }

 private:
  const SimulationConfig& config_;
  std::map<model::TaskIndex, int> failures_left_;
  std::vector<std::int64_t> times_run_;
  std::vector<std::int64_t> times_durable_;
  model::RangeSet acknowledged_;
  std::int64_t run_after_acknowledged_ = 0;
};

}  // namespace evenkeel::simulator
