#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "core/model/index_range.h"
#include "core/model/node_power.h"
#include "core/model/node_statistics.h"
#include "core/model/packed_results.h"
#include "core/model/task_facts.h"

/// The record of a run: the rows of the journal and of timeline.jsonl, and the summary.
/// All times are on the job's own time line: durations since its first start, without the gaps
/// between an interruption and the next start.
namespace evenkeel::model {

/// Why a range ran on its node.
enum class RunKind {
  kPlanned,  ///< the range was first reserved for this node
  kStolen,   ///< the range was moved here from another node
  kCopy,     ///< a speculative copy that finished first
};

/// A range of tasks whose results count. One row of the journal.
struct ResultRecord {
  IndexRange range;
  std::string node;
  Duration started{};  ///< of the first task
  Duration ended{};    ///< of the last task
  Duration busy{};     ///< time inside the tasks
  RunKind kind = RunKind::kPlanned;
  PackedResults results;
};

/// A failed run of a task. One row of the journal.
struct FailureRecord {
  TaskIndex index = 0;
  std::string node;
  std::string reason;
  std::int32_t attempt = 1;                 ///< number of failed runs so far, from 1
  bool final = false;                       ///< the task is not retried
  std::optional<std::int32_t> exit_code{};  ///< as TaskFailure
  std::string record{};  ///< as TaskFailure, if final; not always read from the journal
};

/// Two nodes gave the same result of a task. One row of the journal.
struct ConfirmationRecord {
  TaskIndex index = 0;
  std::string node;    ///< whose result counts
  std::string second;  ///< the node of the second run
};

/// A node gave a wrong result: it is left out of the job, and its results do not count any more.
/// One row of the journal.
struct ExclusionRecord {
  std::string node;
  TaskIndex index = 0;       ///< of the wrong result
  std::string reason;        ///< one line
  std::int64_t revoked = 0;  ///< tasks whose results are revoked
};

/// A line of timeline.jsonl that is not a range of results.
struct TimelineEvent {
  enum class Kind {
    kStage,   ///< a stage of a strategy: `start`..`end`, `detail` is its number ("1", "2", "3")
    kMaster,  ///< `node` was master and did not compute from `start` to `end`
    kMove,    ///< `tasks` tasks moved from `from_node` to `node` at `start`; `detail` is "reserved"
              ///< or "leased"
    kEta,     ///< at `start` the job was predicted to end at `end` +- `sigma`
    kLost,    ///< `node` was lost at `start`
    kJoined,  ///< `node` (re)joined at `start`
    kExcluded,  ///< at `start` the results of `node` were revoked; `detail` says why
  };
  Kind kind = Kind::kEta;
  Duration start{};
  Duration end{};
  Duration sigma{};
  std::string node;
  std::string from_node;
  std::int64_t tasks = 0;
  std::string detail;
};

/// A node's row in summary.json.
struct NodeSummary : NodeStatistics {
  std::optional<double> declared_speed;  ///< of an emulated node
  std::optional<NodeJoules> joules;      ///< if the node's power and threads are known
  std::optional<NodeSlots> slots{};      ///< if the job says what a task needs
};

/// Estimated energy of a job, summed over the nodes whose power is known.
struct EnergySummary {
  double joules = 0;  ///< as the job counts them; Objective::kEnergy minimizes this
  double dynamic_joules = 0;
  double idle_joules = 0;
  double standing_joules = 0;  ///< EnergySpec::standing_watts over the makespan
  bool idle_counted = false;   ///< `joules` includes idle energy
  bool partial = false;        ///< nodes with unknown power did some of the work
  /// EnergySpec::time_factor, if the objective is kEnergy.
  std::optional<double> time_factor;
  std::vector<std::string> left_out;  ///< nodes that got no work to save energy
};

struct MoveCounts {
  std::int64_t reserved = 0;  ///< moves of reserved ranges; no worker is involved
  std::int64_t leased = 0;    ///< moves of leased ranges that their worker returned
  std::int64_t copies = 0;    ///< speculative copies started
};

/// The reason of a job that is complete because it met its success policy before all tasks had
/// run.
inline constexpr const char* kSuccessPolicyMet = "SuccessPolicyMet";

/// Why a job is over.
enum class EndCause {
  kOther,             ///< the reason says it
  kSuccessRuleMet,    ///< complete before all tasks had run
  kTasksFailed,       ///< too many, or one that the task policy lets fail the job
  kDeadlineExceeded,  ///< activeDeadlineSeconds
  kResultsDiffer,     ///< nodes gave different results of a task, and none could decide
  kReduceFailed,      ///< all tasks are done, but the reduce command failed
};

/// As in the coordinator's progress: "SuccessPolicyMet", "TasksFailed", "DeadlineExceeded",
/// "ResultsDiffer", "ReduceFailed"; empty for kOther.
[[nodiscard]] std::string_view ToString(EndCause cause);
/// kOther for every text that is not one of these.
[[nodiscard]] EndCause ParseEndCause(std::string_view text);

enum class JobState { kComplete, kFailed, kInterrupted, kRunning };

/// How far the results of the drawn tasks are verified.
struct VerificationSummary {
  std::int64_t confirmed = 0;               ///< tasks of which two nodes gave the same result
  std::int64_t open = 0;                    ///< tasks whose second run has not confirmed the first
  std::vector<ExclusionRecord> exclusions;  ///< in the order of their time
};

/// The last run of a job's reduce command. One row of the journal.
struct ReduceRecord {
  std::int32_t attempts = 1;              ///< number of runs that have ended, this one included
  std::string failure;                    ///< one line; empty: the command succeeded
  std::optional<std::int32_t> exit_code;  ///< as of a task; nothing if no exit code is known
  double seconds = 0;
  std::string output;       ///< beginning of stdout; any bytes
  std::string error;        ///< beginning of stderr; any bytes
  bool output_cut = false;  ///< the command wrote more
  bool error_cut = false;
};

/// summary.json
struct RunSummary {
  std::string job;
  std::string workload;
  JobState state = JobState::kRunning;
  std::string reason;  ///< one line when not complete, or kSuccessPolicyMet
  EndCause cause = EndCause::kOther;
  std::string strategy;
  std::int64_t tasks_total = 0;
  std::int64_t tasks_completed = 0;
  std::int64_t tasks_failed = 0;
  std::string failed_indexes;  ///< "3,7-9", bounded
  double makespan_seconds = 0;
  double startup_seconds = 0;  ///< before the first task started; part of the makespan
  double lower_bound_seconds = 0;
  std::string rate_source;            ///< "declared", "calibrated" or "measured"
  double efficiency = 0;              ///< lower bound / makespan
  double load_imbalance_percent = 0;  ///< (1 - mean/max of the nodes' finish times) x 100
  double wasted_seconds = 0;          ///< busy seconds of runs whose result did not count
  std::int64_t messages = 0;          ///< both directions
  MoveCounts moves;
  std::int64_t bytes_sent = 0;
  std::int64_t bytes_received = 0;
  double lease_seconds = 0;
  std::string
      speed_control;  ///< how emulated speeds were held: "cgroup", "duty-cycle", "sleep" or "none"
  std::uint64_t seed = 0;
  std::uint64_t epoch = 1;  ///< number of starts of the coordinator
  std::vector<NodeSummary> nodes;
  std::optional<VerificationSummary> verification;  ///< if results are verified
  std::optional<EnergySummary> energy;              ///< if the power of any node is known
  std::optional<ReduceRecord> reduce;               ///< if a reduce command has run
  TaskDescription description;                      ///< what the job says of its tasks
  std::optional<CostFindings> costs;                ///< if the job has a source of costs
  FailedAttempts failed_attempts;
  TasksAlone alone;
  std::string result_json = "{}";  ///< the workload's own object
};

}  // namespace evenkeel::model
