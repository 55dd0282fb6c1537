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
#include "core/model/data_transfer.h"
#include "core/model/packed_results.h"
#include "core/model/range_bounds.h"
#include "core/model/run_record.h"
#include "core/model/task_failure.h"
#include "workloads/data_blocks.h"
#include "workloads/run_limit.h"
#include "workloads/task_files.h"

namespace evenkeel::workloads {

class BlockCache;
class TaskDirectories;

/// How one run of a task ended.
enum class TaskOutcome { kDone, kFailed, kStopped, kUnable };

/// The arguments of one run of a task.
struct TaskCall {
  model::TaskIndex index = 0;
  std::int32_t attempt = 0;  ///< number of earlier attempts that failed
  std::string_view input;    ///< from Workload::InputOf; empty if tasks have no inputs
};

using model::TaskFailure;

/// Runs tasks on one thread. Owned by that thread, not thread-safe.
class TaskRunner {
 public:
  virtual ~TaskRunner() = default;
  /// Runs one task. Only kDone changes `result`.
  /// kDone: the task's result bytes were appended to `result`.
  /// kFailed: `failure`, empty before, has the reason.
  /// kStopped: `stop` was requested. If the task ran out of time, the caller keeps `failure.record`
  /// and supplies the reason.
  /// kUnable: no task can run on this node any more; `failure.reason` says why. The worker leaves,
  /// and the task runs elsewhere without counting a failed attempt.
  /// An exception is a failure of the task, with its text as the reason; the runner is used again.
  /// Tasks that may run longer than 100 ms must check `stop`; others may ignore it.
  virtual TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                          TaskFailure& failure) = 0;
  /// Runs the tasks of `range` in one go, for workloads with Workload::Ranges. Notes in `limit`
  /// which tasks are done, if it can tell, and then stops after the last task that `limit` leaves
  /// it. kDone: limit.End() was called, and one result for each of its tasks appended to `results`.
  /// Other outcomes are those of Run; only the tasks noted in `limit` are done.
  virtual TaskOutcome RunRange(model::IndexRange range, std::int32_t attempt, RunLimit& limit,
                               const std::stop_token& stop, model::PackedResults& results,
                               TaskFailure& failure) {
    static_cast<void>(range), static_cast<void>(attempt), static_cast<void>(limit);
    static_cast<void>(stop), static_cast<void>(results);
    failure.reason = "this workload runs its tasks one by one";
    return TaskOutcome::kFailed;
  }
  /// CPU time that other processes spent on its tasks since the last call.
  [[nodiscard]] virtual Duration TakeCpuElsewhere() { return Duration::zero(); }
  /// Time that its tasks spent waiting for data since the last call.
  [[nodiscard]] virtual Duration TakeWaited() { return Duration::zero(); }
  /// Data that came over the network to this worker since a runner of it was last asked, for tasks
  /// that run, have run or wait.
  [[nodiscard]] virtual model::DataTransfer TakeTransfer() { return {}; }
};

/// Combines the tasks' results, in the order in which they became durable, into the job's result.
/// Made when the job is over and all of its results are in the journal. Used by one thread.
class Reducer {
 public:
  virtual ~Reducer() = default;
  /// Called before the first Add with the folder that Finish gets, for reducers whose data is too
  /// large for memory. No file may be visible there before Finish, and none may remain if Finish is
  /// never called.
  virtual Result<void> Begin(const std::filesystem::path& folder) {
    static_cast<void>(folder);
    return {};
  }
  /// Takes the results of the tasks of `range`; each task comes exactly once.
  virtual Result<void> Add(model::IndexRange range, const model::PackedResults& results) = 0;
  /// Takes a task that failed for good, with the failure of its last attempt. Such a task is never
  /// passed to Add. By default it does not appear in the results.
  virtual Result<void> AddFailed(model::TaskIndex index, const TaskFailure& failure) {
    static_cast<void>(index);
    static_cast<void>(failure);
    return {};
  }
  /// Writes the workload's result files into `folder` (each complete or not at all) and returns
  /// the `result` object of summary.json as JSON text. Called once, after the last Add and
  /// AddFailed.
  virtual Result<std::string> Finish(const std::filesystem::path& folder) = 0;
  /// Charts of the result for report.html. Called after Finish.
  [[nodiscard]] virtual std::vector<model::Chart> Charts() const { return {}; }
};

/// How a worker fetches and caches a job's blocks.
struct BlockPolicy {
  std::int64_t cache_bytes = 0;  ///< upper limit; a worker with less memory uses less
  std::int64_t window = 8;       ///< maximum number of pieces in flight
  std::int64_t refresh_at = 4;   ///< more pieces are requested when only these are in flight
  bool between_workers = true;   ///< blocks may come from other workers
};

struct RunnerOptions {
  /// Speed of this node, for workloads that sleep instead of computing. 1 otherwise.
  double speed = 1.0;
  std::string node;  ///< name of this node
  std::string job;   ///< metadata.name
  /// For workloads with a BlockPolicy: shared by the worker's threads. Null outside of a worker;
  /// then blocks are read directly from their source.
  BlockCache* block_cache = nullptr;
  BlockFetcher* block_fetcher = nullptr;
  /// For workloads with files: shared by the worker's threads. Null outside of a worker; then no
  /// task can run.
  TaskFiles* files = nullptr;
  TaskDirectories* task_directories = nullptr;
  /// Socket of the launcher of commands; empty: the runner starts a launcher.
  std::filesystem::path launcher_socket;
  /// How long the launcher may be unreachable before the worker leaves.
  Duration launcher_patience = std::chrono::seconds(30);
  /// Launcher program to start if there is no socket; empty: the one beside this program.
  std::filesystem::path launcher_program;
};

/// Where the reduce command of a job runs. Paths are as the command sees them.
struct ReducePlace {
  std::filesystem::path results;         ///< folder of the job's result files; exists
  std::filesystem::path folder;          ///< its working directory; exists
  std::vector<std::string> environment;  ///< of the job, "NAME=value"
  RunnerOptions runner;                  ///< name of the job, and its launcher
};

/// A command of the user that runs once, when the result files of a complete job have been written.
/// Used by one thread.
class ReduceCommand {
 public:
  virtual ~ReduceCommand() = default;
  /// Identifies the command: changes when its words do.
  [[nodiscard]] virtual std::string Identity() const = 0;
  /// Runs the command until it ends; if `stop` is requested, ends it first. `failures` is the
  /// number of earlier runs that failed. kUnavailable: it cannot be started at present, for example
  /// because the launcher is not there; this is not a failure of the command.
  [[nodiscard]] virtual Result<model::ReduceRecord> Run(std::int32_t failures,
                                                        const std::stop_token& stop) = 0;
};

/// The environment in which a workload is made from its parameters.
struct WorkloadContext {
  /// Relative file names are resolved here: the folder of the manifest, or in a cluster the mount
  /// of spec.inputs. Empty: there are no files.
  std::filesystem::path folder;
  /// True at a worker. The parameters are those of WorkerParameters, and no file is read unless
  /// `reads_blocks_locally`.
  bool at_worker = false;
  /// Only files in `folder` are read, also through links. For a process that can read files that
  /// the owner of the folder cannot.
  bool confined = false;
  /// File in which the times of earlier runs of the job's profile are kept, if its folder exists;
  /// empty: none are.
  std::filesystem::path learned_costs{};
  /// At the coordinator: all workers run on its machine as its user, so WorkerParameters may say
  /// where files are.
  bool workers_are_local = false;
  /// At a worker: it reads input data from files that WorkerParameters name, if they are still the
  /// same, instead of fetching blocks.
  bool reads_blocks_locally = false;
};

/// Maximum size of the input of one task.
inline constexpr std::size_t kMaxInputBytes = 256 << 10;

/// One job's tasks of one kind. Immutable once made, so thread-safe; it outlives its runners,
/// reducers and cost models.
class Workload {
 public:
  virtual ~Workload() = default;

  /// The key in spec.workload.
  [[nodiscard]] virtual std::string_view Name() const = 0;
  /// Raised whenever task indexes or results change their meaning. Coordinator and worker must have
  /// the same version.
  [[nodiscard]] virtual std::uint32_t Version() const = 0;
  [[nodiscard]] virtual std::int64_t TaskCount() const = 0;
  /// The costs as far as the scheduler may know them.
  [[nodiscard]] virtual std::shared_ptr<const model::CostModel> Costs() const = 0;
  /// The true costs, where they are known but withheld from the scheduler; for lower bounds only.
  [[nodiscard]] virtual std::shared_ptr<const model::CostModel> TrueCosts() const {
    return Costs();
  }
  /// Whether Costs() are estimates, which may be wrong for each task. Then nothing follows from the
  /// longest one.
  [[nodiscard]] virtual bool CostsAreEstimates() const { return false; }
  /// If one run of the user's program does a range of tasks: how many. Then each batch is one call
  /// of TaskRunner::RunRange.
  [[nodiscard]] virtual std::optional<model::RangeBounds> Ranges() const { return {}; }
  /// Cost units per second of a node of speed 1, if the workload defines it; 0 if it must be
  /// measured.
  [[nodiscard]] virtual double DeclaredUnitsPerSecond() const { return 0.0; }
  /// True if tasks use no CPU, so that a node's speed is not a share of a core.
  [[nodiscard]] virtual bool Sleeps() const { return false; }
  /// The parameters for workers, as JSON; nothing: the same as at the coordinator.
  [[nodiscard]] virtual std::optional<std::string> WorkerParameters() const { return {}; }
  /// Whether tasks have inputs: bytes that only the coordinator has and that travel with the lease.
  [[nodiscard]] virtual bool HasInputs() const { return false; }
  /// The input of a task, at the coordinator: at most kMaxInputBytes, always the same.
  [[nodiscard]] virtual std::string InputOf(model::TaskIndex index) const {
    static_cast<void>(index);
    return {};
  }
  /// Identifies the versions of the files that the tasks' data comes from; changes when a file is
  /// replaced. Empty: there are no files.
  [[nodiscard]] virtual std::string FileVersions() const { return {}; }
  /// Whether the job with the parameters `now`, from which this was made, is the job with the
  /// parameters `earlier` with tasks appended: the earlier tasks are unchanged and keep their
  /// indexes. The caller compares the inputs and the number of tasks. By default tasks cannot be
  /// appended.
  [[nodiscard]] virtual bool Continues(const std::string& earlier, const std::string& now) const {
    static_cast<void>(earlier);
    static_cast<void>(now);
    return false;
  }
  /// Input data in blocks, at the coordinator; null: tasks need none.
  [[nodiscard]] virtual const BlockSource* Blocks() const { return nullptr; }
  /// How workers handle blocks; nothing: tasks use none.
  [[nodiscard]] virtual std::optional<BlockPolicy> BlocksAtWorker() const { return {}; }
  /// Whether tasks have input or output files; then they need RunnerOptions::files.
  [[nodiscard]] virtual bool HasFiles() const { return false; }
  /// Bytes of the output files of one task, all together, at most.
  [[nodiscard]] virtual std::int64_t OutputFilesLimit() const { return 0; }
  /// The input files that all tasks need.
  [[nodiscard]] virtual std::vector<DeclaredPath> CommonInputFiles() const { return {}; }
  /// The input files that one task needs beside the common ones. `input`: TaskCall::input.
  /// kInvalidInput: its input makes a wrong path, which is a failure of the task. Any thread.
  [[nodiscard]] virtual Result<std::vector<DeclaredPath>> InputFilesOf(
      model::TaskIndex index, std::string_view input) const {
    static_cast<void>(index);
    static_cast<void>(input);
    return {};
  }
  /// Whether each thread of a worker should be pinned to its own core.
  [[nodiscard]] virtual bool WantsCores() const { return false; }
  /// Minimum disk space of journal and result files, in bytes; 0: negligible.
  [[nodiscard]] virtual std::int64_t BytesOnDisk() const { return 0; }
  /// May be called from any thread.
  [[nodiscard]] virtual std::unique_ptr<TaskRunner> MakeRunner(
      const RunnerOptions& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Reducer> MakeReducer() const = 0;
  /// The command that runs after the last task; null: there is none.
  [[nodiscard]] virtual std::unique_ptr<ReduceCommand> MakeReduceCommand(
      const ReducePlace& place) const {
    static_cast<void>(place);
    return nullptr;
  }
  /// The part of a result that is the same in all correct runs of a task, on every node. Results of
  /// two runs are compared by it. `result` may be anything, as it comes from a worker. Any thread.
  [[nodiscard]] virtual std::string RepeatablePartOf(std::string_view result) const {
    return std::string(result);
  }
  /// Why correct runs of a task may give different results, in words that follow "because"; empty:
  /// they do not.
  [[nodiscard]] virtual std::string WhyNotRepeatable() const { return {}; }
  /// Whether partial results are useful when the job has failed, e.g. to find out why.
  [[nodiscard]] virtual bool ResultsOfFailedJobs() const { return false; }
};

}  // namespace evenkeel::workloads
