#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/chart.h"
#include "core/model/cost_model.h"
#include "core/model/packed_results.h"

namespace evenkeel::workloads {

/// How one run of a task ended.
enum class TaskOutcome { kDone, kFailed, kStopped };

/// Runs tasks on one thread. Owned by that thread, not thread-safe.
class TaskRunner {
 public:
  virtual ~TaskRunner() = default;
  /// Runs task `index`. kDone: its result bytes have been appended to `result`. kFailed: one line
  /// of reason has been appended instead. kStopped: `stop` was requested and nothing is appended.
  /// Tasks that may last longer than 100 ms look at `stop`; the others may ignore it.
  virtual TaskOutcome Run(model::TaskIndex index, std::stop_token stop, std::string& result) = 0;
};

/// Folds results into the result of the job, in whatever order they became durable.
/// Used by one thread.
class Reducer {
 public:
  virtual ~Reducer() = default;
  /// Takes the results of the tasks of `range`; each task comes exactly once.
  virtual Result<void> Add(model::IndexRange range, const model::PackedResults& results) = 0;
  /// Writes the workload's result files into `folder` (each complete or not at all) and returns
  /// the `result` object of summary.json as JSON text. Called once, after the last Add.
  virtual Result<std::string> Finish(const std::filesystem::path& folder) = 0;
  /// What report.html is to draw of the result, if anything. Called after Finish.
  [[nodiscard]] virtual std::vector<model::Chart> Charts() const { return {}; }
};

struct RunnerOptions {
  /// For workloads that sleep instead of computing: how fast this node is. 1 otherwise.
  double speed = 1.0;
};

/// One job's tasks of one kind. Immutable once made, so thread-safe; it outlives its runners,
/// reducers and cost models.
class Workload {
 public:
  virtual ~Workload() = default;

  /// The key in spec.workload.
  [[nodiscard]] virtual std::string_view Name() const = 0;
  /// Raised whenever index space or results change their meaning; both ends must agree on it.
  [[nodiscard]] virtual std::uint32_t Version() const = 0;
  [[nodiscard]] virtual std::int64_t TaskCount() const = 0;
  /// What the scheduler may know of the costs.
  [[nodiscard]] virtual std::shared_ptr<const model::CostModel> Costs() const = 0;
  /// The true costs, where they are known but withheld from the scheduler; for lower bounds only.
  [[nodiscard]] virtual std::shared_ptr<const model::CostModel> TrueCosts() const {
    return Costs();
  }
  /// Cost units per second of a node of speed 1, if that is a matter of definition; 0 if it has to
  /// be measured.
  [[nodiscard]] virtual double DeclaredUnitsPerSecond() const { return 0.0; }
  /// True if tasks use no CPU, so that a node's speed is not a share of a core.
  [[nodiscard]] virtual bool Sleeps() const { return false; }
  /// May be called from any thread.
  [[nodiscard]] virtual std::unique_ptr<TaskRunner> MakeRunner(
      const RunnerOptions& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Reducer> MakeReducer() const = 0;
};

}  // namespace evenkeel::workloads
