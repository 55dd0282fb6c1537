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
  bool costs_told = false;
  std::int64_t without_time = 0;  ///< tasks without a result; they are taken to be average ones
  /// One for each node that did something, told what the scheduler was told: its speed as
  /// measured or declared, when it came, when it was lost and came back.
  std::vector<NodeGroup> nodes;
  std::string speed_source;  ///< "measured" or "declared"
};

/// Reads a timeline.jsonl, and the summary.json beside it. `path` is that file or its folder.
/// Speeds are rates as measured where these are in cost units, and declared ones where they are
/// not, since tasks a second would take a node for fast that happened to get small tasks; if those
/// are missing, tasks a second all the same. They are given on the scale of the declared speeds,
/// or such that the slowest core has 1. Errors are one line that begins with a path:
/// kUnavailable if a file is missing, kInvalidInput if it is of another format, does not fit the
/// summary, or has no results.
[[nodiscard]] Result<RecordedRun> ReadRecordedRun(const std::filesystem::path& path);

/// The run again, with its own strategy, on its own nodes.
[[nodiscard]] Scenario ScenarioOf(const RecordedRun& run);

}  // namespace evenkeel::simulator
