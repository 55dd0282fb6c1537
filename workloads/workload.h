#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/model/chart.h"
#include "core/model/cost_model.h"
#include "core/model/packed_results.h"
#include "core/model/task_failure.h"
#include "workloads/data_blocks.h"

namespace evenkeel::workloads {

class BlockCache;

/// How one run of a task ended.
enum class TaskOutcome { kDone, kFailed, kStopped, kUnable };

/// One run of a task, as its runner is told of it.
struct TaskCall {
  model::TaskIndex index = 0;
  std::int32_t attempt = 0;  ///< how often the task has failed before
  std::string_view input;    ///< what Workload::InputOf gave; empty if there are no inputs
};

using model::TaskFailure;

/// Runs tasks on one thread. Owned by that thread, not thread-safe.
class TaskRunner {
 public:
  virtual ~TaskRunner() = default;
  /// Runs one task. kDone: its result bytes have been appended to `result`. kFailed: `failure`,
  /// empty before, says why and `result` is as it was. kStopped: `stop` was requested and `result`
  /// is as it was; should the task have run out of its time, `failure.record` is kept, and who
  /// stopped it says the rest. kUnable: no task can be run here any more, `failure.reason` says why
  /// and `result` is as it was; the worker leaves, and the task is run elsewhere, which is not held
  /// against it. An exception is a failure of the task, with its text as the reason; the runner is
  /// used again. Tasks that may last longer than 100 ms look at `stop`; the others
  /// may ignore it.
  virtual TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                          TaskFailure& failure) = 0;
  /// CPU time that other processes have spent on its tasks since this was last asked.
  [[nodiscard]] virtual Duration TakeCpuElsewhere() { return Duration::zero(); }
  /// What its tasks have spent waiting for data since this was last asked.
  [[nodiscard]] virtual Duration TakeWaited() { return Duration::zero(); }
};

/// Folds results into the result of the job, in whatever order they became durable. Made when the
/// job is over and all of its results are in the journal, so that a result that was revoked before
/// never comes here. Used by one thread.
class Reducer {
 public:
  virtual ~Reducer() = default;
  /// Before the first Add, with the folder that Finish gets: for what is too large to be held in
  /// memory. Nothing may be seen there before Finish, and nothing be left if that never comes.
  virtual Result<void> Begin(const std::filesystem::path& folder) {
    static_cast<void>(folder);
    return {};
  }
  /// Takes the results of the tasks of `range`; each task comes exactly once.
  virtual Result<void> Add(model::IndexRange range, const model::PackedResults& results) = 0;
  /// A task that failed for good, with what its last attempt left; it does not come to Add. By
  /// default the results say nothing of it.
  virtual Result<void> AddFailed(model::TaskIndex index, const TaskFailure& failure) {
    static_cast<void>(index);
    static_cast<void>(failure);
    return {};
  }
  /// Writes the workload's result files into `folder` (each complete or not at all) and returns
  /// the `result` object of summary.json as JSON text. Called once, after the last Add and
  /// AddFailed.
  virtual Result<std::string> Finish(const std::filesystem::path& folder) = 0;
  /// What report.html is to draw of the result, if anything. Called after Finish.
  [[nodiscard]] virtual std::vector<model::Chart> Charts() const { return {}; }
};

/// How a worker is to deal with a job's blocks.
struct BlockPolicy {
  std::int64_t cache_bytes = 0;  ///< at most; less where the worker has less
  std::int64_t window = 8;       ///< pieces of blocks under way at most
  std::int64_t refresh_at = 4;   ///< new ones are asked for when so few are left
  bool between_workers = true;   ///< they may come from other workers
};

struct RunnerOptions {
  /// For workloads that sleep instead of computing: how fast this node is. 1 otherwise.
  double speed = 1.0;
  std::string node;  ///< its name
  std::string job;   ///< metadata.name
  /// For workloads with a BlockPolicy: shared by the worker's threads. Null: there is no worker
  /// around, and blocks are read where they are.
  BlockCache* block_cache = nullptr;
  BlockFetcher* block_fetcher = nullptr;
  /// Where the launcher of commands listens; empty: the runner starts one of its own.
  std::filesystem::path launcher_socket;
  /// How long it may be away before its worker leaves.
  Duration launcher_patience = std::chrono::seconds(30);
  /// The launcher to start then; empty: the one beside this program.
  std::filesystem::path launcher_program;
};

/// Where a workload is made, beside its parameters.
struct WorkloadContext {
  /// Relative file names are looked up here: the folder of the manifest, or in a cluster where
  /// spec.inputs is mounted. Empty: there are no files.
  std::filesystem::path folder;
  /// At a worker. The parameters are those of WorkerParameters there, and no file is read.
  bool at_worker = false;
  /// Files are read only if they are in `folder`, whatever links there say. For a process that can
  /// read more than whoever has filled the folder.
  bool confined = false;
};

/// Of the input of one task.
inline constexpr std::size_t kMaxInputBytes = 256 << 10;

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
  /// What workers make their workload from, as JSON; nothing: the same as here.
  [[nodiscard]] virtual std::optional<std::string> WorkerParameters() const { return {}; }
  /// Whether tasks have inputs: bytes that only the coordinator has and that travel with the lease.
  [[nodiscard]] virtual bool HasInputs() const { return false; }
  /// The input of a task, at the coordinator: at most kMaxInputBytes, always the same.
  [[nodiscard]] virtual std::string InputOf(model::TaskIndex index) const {
    static_cast<void>(index);
    return {};
  }
  /// What tells the files that the tasks' data comes from apart from later ones of the same names;
  /// empty: there are none.
  [[nodiscard]] virtual std::string FileVersions() const { return {}; }
  /// Whether the job with the parameters `now`, from which this was made, is the one with `earlier`
  /// to which tasks were appended: those that there were are the same tasks, at the same indexes.
  /// Their inputs and their number are compared by whoever asks. By default a job does not grow.
  [[nodiscard]] virtual bool Continues(const std::string& earlier, const std::string& now) const {
    static_cast<void>(earlier);
    static_cast<void>(now);
    return false;
  }
  /// Input data in blocks, at the coordinator; null: tasks need none but what they make themselves.
  [[nodiscard]] virtual const BlockSource* Blocks() const { return nullptr; }
  /// What runners need to share blocks; nothing: they use none.
  [[nodiscard]] virtual std::optional<BlockPolicy> BlocksAtWorker() const { return {}; }
  /// Whether each thread of a worker is best kept on a core of its own.
  [[nodiscard]] virtual bool WantsCores() const { return false; }
  /// What journal and result files take on the disk, at least; 0: not worth mentioning.
  [[nodiscard]] virtual std::int64_t BytesOnDisk() const { return 0; }
  /// May be called from any thread.
  [[nodiscard]] virtual std::unique_ptr<TaskRunner> MakeRunner(
      const RunnerOptions& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Reducer> MakeReducer() const = 0;
  /// Whether the results that there are say something when the job has failed, e.g. why.
  [[nodiscard]] virtual bool ResultsOfFailedJobs() const { return false; }
};

}  // namespace evenkeel::workloads
