#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/model/run_record.h"
#include "platform/time.h"

namespace evenkeel::cluster {

namespace condition_type {
inline const std::string kComplete = "Complete";
inline const std::string kFailed = "Failed";
inline const std::string kSuspended = "Suspended";
inline const std::string kProgressing = "Progressing";
inline const std::string kWeightsMeasured = "WeightsMeasured";
/// An object that the job needs has the name of another owner's object.
inline const std::string kNameConflict = "NameConflict";
/// Nodes gave wrong results of tasks and are left out of the job.
inline const std::string kNodesExcluded = "NodesExcluded";
/// The operator accepts a WeightingPolicy: jobs can be weighed by it.
inline const std::string kAccepted = "Accepted";
}  // namespace condition_type

/// metav1.Condition. kUnknown is only read, never written.
struct Condition {
  enum class Status { kTrue, kFalse, kUnknown };

  std::string type;
  Status status = Status::kFalse;
  std::string reason;   ///< one word in CamelCase
  std::string message;  ///< one line for people
  std::int64_t observed_generation = 0;
  platform::Timestamp last_transition{};  ///< of `status`; whole seconds

  friend bool operator==(const Condition&, const Condition&) = default;
};

using Conditions = std::vector<Condition>;

/// Nothing if it was never set.
[[nodiscard]] const Condition* Find(const Conditions& conditions, const std::string& type);
[[nodiscard]] bool IsTrue(const Conditions& conditions, const std::string& type);
/// Complete or Failed is True: the job has ended.
[[nodiscard]] bool IsOver(const Conditions& conditions);

/// Adds or replaces the condition of that type. last_transition stays as it was as long as the
/// status does; otherwise it is that of `condition`.
void Set(Conditions& conditions, Condition condition);

[[nodiscard]] std::string ToString(Condition::Status status);

/// The word for a job's state in status.state, kubectl get, top and explain: the first of Complete,
/// Failed, Suspended and Progressing whose condition is true, else the reason of a condition
/// Progressing that is false, such as ImagePullFailed; Pending if there is none. `find` returns the
/// status ("True", ...) and the reason of the condition of a type; nothing if it was never set.
using FindCondition =
    std::function<std::optional<std::pair<std::string, std::string>>(const std::string& type)>;
[[nodiscard]] std::string JobState(const FindCondition& find);

/// The state without the reasons, of which there are many: Pending if a job does not progress.
[[nodiscard]] std::string PhaseOf(const Conditions& conditions);

struct TaskCounts {
  std::int64_t total = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;

  friend bool operator==(const TaskCounts&, const TaskCounts&) = default;
};

/// A row of status.workers.
struct WorkerRow {
  std::string node;
  std::int64_t weight = 1;
  std::int64_t share = 0;  ///< tasks it is meant to do, as things stand
  std::int64_t completed = 0;
  std::int64_t stolen = 0;    ///< tasks it took from others
  std::string state;          ///< Pending, Starting, Running, Waiting, Lost, Done or Failed
  std::string weight_source;  ///< Fuzzy, Measured, Explicit or Equal

  friend bool operator==(const WorkerRow&, const WorkerRow&) = default;
};

struct JobResult {
  std::string summary;   ///< the workload's result object as JSON text, e.g. {"count":25997}
  std::string location;  ///< where the result files are and how to fetch them, for people

  [[nodiscard]] bool Empty() const { return summary.empty() && location.empty(); }
  friend bool operator==(const JobResult&, const JobResult&) = default;
};

/// A job of spec.after that was seen Complete, or that of spec.rerun, which was seen ended. It may
/// be deleted since, or replaced by another one of its name.
struct CompletedDependency {
  std::string name;
  std::string uid;

  friend bool operator==(const CompletedDependency&, const CompletedDependency&) = default;
};

/// status of a WeightedJob. Times are whole seconds. Comparing two of them tells whether there is
/// anything to write.
struct JobStatus {
  std::int64_t observed_generation = 0;
  std::string state;  ///< see JobState()
  std::optional<TaskCounts> tasks;
  std::string progress;        ///< "63%"
  std::string failed_indexes;  ///< "3,7-9", capped
  std::optional<platform::Timestamp> start_time;
  std::optional<platform::Timestamp> completion_time;
  std::optional<platform::Timestamp> estimated_completion_time;
  std::int32_t active_workers = 0;  ///< connected to the coordinator
  std::vector<WorkerRow> workers;   ///< the heaviest first; nodes differ
  std::vector<CompletedDependency> after;
  JobResult result;
  Conditions conditions;

  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

/// Rows of status.workers that are written; the heaviest nodes stay.
inline constexpr std::size_t kMaxWorkerRows = 64;

enum class CoordinatorState {
  kRunning,
  kComplete,
  kFailed,
  kInterrupted,  ///< drained: suspended, or about to end
  kBlocked,      ///< cannot go on for now, e.g. because its disk is full
};

/// The coordinator's report on one worker.
struct WorkerProgress {
  std::string node;
  double ratio = 1;
  bool connected = false;
  std::int64_t share = 0;
  std::int64_t completed = 0;
  std::int64_t stolen = 0;
  double rate = 0;    ///< work units a second; 0 if unknown
  std::string state;  ///< Running, Waiting, Lost or Done
};

/// A node's work for the job so far, in all starts of its coordinator.
struct NodeWork {
  std::string node;
  double units = 0;          ///< work units of the tasks whose result counted
  double busy_seconds = 0;   ///< inside tasks, summed over its threads
  std::int64_t threads = 0;  ///< of its worker; 0 if not known
};

/// A node that gave a wrong result and is left out of the job.
struct ExcludedNode {
  std::string node;
  std::string reason;        ///< one line
  std::int64_t revoked = 0;  ///< tasks that are done again
};

/// Nodes whose work is read of an answer.
inline constexpr std::size_t kMaxWorkRows = 1024;

/// The answer of a coordinator to GET /progress. Bounded: at most kMaxWorkerRows workers, and texts
/// that fit into a status.
struct Progress {
  std::int64_t epoch = 0;
  CoordinatorState state = CoordinatorState::kRunning;
  std::string reason;
  model::EndCause cause = model::EndCause::kOther;
  TaskCounts tasks;
  double fraction = 0;              ///< of the work, 0 to 1
  std::int64_t reduce_attempt = 0;  ///< run of the reduce command that is under way; 0: none
  std::optional<Duration> eta;
  Duration active{};
  std::string failed_indexes;  ///< digits, commas, dashes and dots only
  std::vector<WorkerProgress> workers;
  std::vector<ExcludedNode> excluded;  ///< at most kMaxWorkerRows
  std::vector<NodeWork> work;          ///< of nodes that have done something, at most kMaxWorkRows
  /// Of JobSpec::workload_parameters, as the coordinator works by them; empty if it does not say.
  std::string workload_digest;
  std::string result;  ///< JSON text of an object; empty while there is none
  /// The last request to the coordinator: true to drain, false to work. Empty if not reported.
  std::optional<bool> desired_suspended;
  /// Digest of the last report of kills of command containers; empty text: there was none since the
  /// coordinator started. Nothing: it does not take such reports.
  std::optional<std::string> container_ends_digest;
};

}  // namespace evenkeel::cluster
