#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/job_spec.h"
#include "core/model/run_record.h"
#include "simulator/scenario.h"

namespace evenkeel::simulator {

/// A run that took place, as material for scenarios: what its tasks took, and on which nodes.
struct RecordedRun {
  std::filesystem::path timeline;
  model::RunSummary summary;
  model::StrategyName strategy = model::StrategyName::kTailStealing;
  /// Of each task on a core of speed 1: its range's busy time / its tasks x the node's speed.
  std::vector<double> seconds;
  /// The scheduler knew what tasks cost, so that rates are in cost units.
  bool costs_declared = false;
  std::int64_t without_time = 0;  ///< tasks without a result; they are taken to be average ones
  /// One for each node that ran tasks, with the weight that was declared, its speed as measured or
  /// declared, and the times at which it joined, was lost and came back.
  std::vector<NodeGroup> nodes;
  std::string speed_source;  ///< "measured" or "declared"
};

/// Reads a timeline.jsonl, and the summary.json beside it. `path` is that file or its folder.
/// Speeds are the measured rates if these are in cost units. Otherwise they are the declared
/// speeds, because a node that happened to get small tasks has many tasks per second; if none are
/// declared, tasks per second. Their scale is that of the declared speeds, or the slowest core
/// has 1. Errors are one line that begins with a path: kUnavailable if a file is missing,
/// kInvalidInput if it is of another format, does not fit the summary, or has no results.
[[nodiscard]] Result<RecordedRun> ReadRecordedRun(const std::filesystem::path& path);

/// The run again, with its own strategy, on its own nodes.
[[nodiscard]] Scenario ScenarioOf(const RecordedRun& run);

}  // namespace evenkeel::simulator
