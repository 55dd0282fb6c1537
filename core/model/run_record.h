#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/model/index_range.h"
#include "core/model/node_power.h"
#include "core/model/packed_results.h"

/// What a run leaves behind: the rows of the journal and of timeline.jsonl, and the summary.
/// All times are on the job's own time line: durations since its first start, on which the gaps
/// between an interruption and its resumption do not count.
namespace evenkeel::model {

/// How a range came to be run where it was run.
enum class RunKind {
  kPlanned,  ///< by the node it was first reserved for
  kStolen,   ///< moved there from another node's share
  kCopy,     ///< as a second run that finished first
};

/// A range of results that counts. One row of the journal.
struct ResultRecord {
  IndexRange range;
  std::string node;
  Duration started{};  ///< of the first task
  Duration ended{};    ///< of the last task
  Duration busy{};     ///< seconds inside the tasks
  RunKind kind = RunKind::kPlanned;
  PackedResults results;
};

/// A task that failed for good or is to be retried. One row of the journal.
struct FailureRecord {
  TaskIndex index = 0;
  std::string node;
  std::string reason;
  std::int32_t attempt = 1;                 ///< 1 for the first run that failed
  bool final = false;                       ///< no further attempt
  std::optional<std::int32_t> exit_code{};  ///< as TaskFailure
  std::string record{};  ///< likewise, of a final failure; not always read from the journal
};

/// A line of timeline.jsonl that is not a range of results.
struct TimelineEvent {
  enum class Kind {
    kStage,   ///< a stage of a strategy: `start`..`end`, `detail` is its number ("1", "2", "3")
    kMaster,  ///< `node` was master and did not compute from `start` to `end`
    kMove,    ///< `tasks` tasks moved from `from_node` to `node` at `start`; `detail` is "reserved"
              ///< or "leased"
    kEta,     ///< at `start` the job was predicted to end at `end`, give or take `sigma`
    kLost,    ///< `node` was lost at `start`
    kJoined,  ///< `node` (re)joined at `start`
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

struct NodeSummary {
  std::string name;
  std::int64_t weight = 0;      ///< whole-number weight, ceil(ratio)
  double ratio = 0;             ///< exact weight relative to the lightest node
  double share = 0;             ///< of the total cost, as first planned; 0..1
  std::int64_t completed = 0;   ///< tasks whose result counted
  std::int64_t stolen_in = 0;   ///< tasks run here that were planned elsewhere
  std::int64_t stolen_out = 0;  ///< tasks planned here that were run elsewhere
  double busy_seconds = 0;      ///< sum over its threads
  double rate = 0;              ///< work units per second, over the last start
  double finish_seconds = 0;    ///< end of its last result that counted
  double predicted_finish_seconds =
      0;  ///< the same as predicted when it had run a tenth of its share; 0 if never
  std::optional<double> declared_speed;  ///< emulated nodes
  std::optional<NodePower> power;        ///< if it is known
  std::optional<NodeJoules> joules;      ///< likewise, and only if its threads are known
};

/// Estimated energy of a job, summed over the nodes whose power is known.
struct EnergySummary {
  double joules = 0;  ///< as the job counts them: what Objective::kEnergy makes small
  double dynamic_joules = 0;
  double idle_joules = 0;
  double standing_joules = 0;  ///< EnergySpec::standing_watts over the makespan
  bool idle_counted = false;   ///< joules contain the idle draw
  bool partial = false;        ///< nodes did work whose power is not known
  /// With Objective::kEnergy: as the user gave it.
  std::optional<double> time_factor;
  std::vector<std::string> left_out;  ///< nodes that got no work because of it
};

struct MoveCounts {
  std::int64_t reserved = 0;  ///< moves of reserved ranges, at the coordinator alone
  std::int64_t leased = 0;    ///< moves of leased ranges, which the victim gave back
  std::int64_t copies = 0;    ///< second runs that were started
};

/// The reason of a job that is complete because its success policy was met before all tasks had
/// run.
inline constexpr const char* kSuccessPolicyMet = "SuccessPolicyMet";

enum class JobState { kComplete, kFailed, kInterrupted, kRunning };

/// summary.json
struct RunSummary {
  std::string job;
  std::string workload;
  JobState state = JobState::kRunning;
  std::string reason;  ///< one line when not complete, or kSuccessPolicyMet
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
  double wasted_seconds = 0;          ///< busy seconds of duplicates and repeats
  std::int64_t messages = 0;          ///< both directions
  MoveCounts moves;
  std::int64_t bytes_sent = 0;
  std::int64_t bytes_received = 0;
  double lease_seconds = 0;
  std::string
      speed_control;  ///< how emulated speeds were held: "cgroup", "duty-cycle", "sleep" or "none"
  std::uint64_t seed = 0;
  std::uint64_t epoch = 1;  ///< starts of the coordinator so far
  std::vector<NodeSummary> nodes;
  std::optional<EnergySummary> energy;  ///< if the power of any node is known
  std::string result_json = "{}";       ///< the workload's own object
};

}  // namespace evenkeel::model
