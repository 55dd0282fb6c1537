#include "simulator/simulated_tasks.h"

#include <string_view>

#include "core/base/check.h"

namespace evenkeel::simulator {

std::string InputOf(model::TaskIndex index) { return "input of " + std::to_string(index); }

SimulatedTasks::SimulatedTasks(const SimulationConfig& config)
    : config_(config), failures_left_(config.failing) {
  if (!config.account_tasks) return;
  times_run_.resize(config.true_costs.size());
  times_durable_.resize(config.true_costs.size());
}

double SimulatedTasks::Begin(model::IndexRange tasks) {
  double seconds = 0;
  for (model::TaskIndex i = tasks.begin; i < tasks.end; ++i) {
    seconds += Seconds(i);
    if (config_.account_tasks && acknowledged_.Contains(i)) ++run_after_acknowledged_;
  }
  return seconds;
}

std::optional<model::TaskFailure> SimulatedTasks::End(model::TaskIndex task,
                                                      std::int64_t memory_bytes,
                                                      model::PackedResults& results) {
  const auto needed = config_.memory_bytes.find(task);
  if (needed != config_.memory_bytes.end() && needed->second > memory_bytes) {
    return model::TaskFailure{"ended by signal 9", 137, std::to_string(task),
                              model::FailureCause::kOutOfMemory};
  }
  const auto failing = failures_left_.find(task);
  if (failing != failures_left_.end() && failing->second > 0) {
    --failing->second;
    model::TaskFailure failure{"told to fail", {}, std::to_string(task), {}};
    const auto code = config_.exit_codes.find(task);
    if (code != config_.exit_codes.end()) failure.exit_code = code->second;
    return failure;
  }
  if (!config_.account_tasks) {
    results.Append(std::string_view());
    return std::nullopt;
  }
  results.Append(std::to_string(task));
  ++times_run_[static_cast<std::size_t>(task)];
  return std::nullopt;
}

void SimulatedTasks::CountDurable(const model::ResultRecord& record) {
  if (!config_.account_tasks) return;
  for (model::TaskIndex i = record.range.begin; i < record.range.end; ++i) {
    ++times_durable_[static_cast<std::size_t>(i)];
    const auto result = record.results.At(i - record.range.begin);
    EVENKEEL_CHECK(result == std::to_string(i), "a result that belongs to another task");
  }
}

void SimulatedTasks::CountAcknowledged(const std::vector<model::IndexRange>& ranges) {
  if (!config_.account_tasks) return;
  for (const auto range : ranges) acknowledged_.Insert(range);
}

}  // namespace evenkeel::simulator
