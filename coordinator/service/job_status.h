#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/live/live_feed.h"
#include "coordinator/run_results.h"
#include "core/engine/progress.h"
#include "core/model/run_record.h"

namespace evenkeel::coordinator {

enum class WorkerState {
  kRunning,  ///< has tasks
  kWaiting,  ///< has not come yet, is away for a moment, or has nothing to do
  kLost,     ///< silent for a whole lease, or has left
  kDone,     ///< the job is over
};

/// A worker's node and what it has done. `rate` is 0 if it was not measured.
struct WorkerStatus : model::NodeStatistics {
  bool connected = false;
  WorkerState state = WorkerState::kWaiting;
};

/// The status of a job: the content of GET /progress. A plain value.
struct JobStatus {
  std::uint64_t epoch = 0;  ///< 0 while no journal could be opened
  model::JobState state = model::JobState::kRunning;
  bool blocked = false;  ///< cannot go on for now, `reason` says why; tries again by itself
  std::string reason;    ///< one line
  model::EndCause cause = model::EndCause::kOther;
  std::int64_t tasks_total = 0;
  std::int64_t tasks_completed = 0;
  std::int64_t tasks_failed = 0;
  std::string failed_indexes;
  std::optional<model::VerificationSummary> verification;
  double progress = 0;              ///< share of the cost that is done, 0..1
  std::int32_t reduce_attempt = 0;  ///< run of the reduce command that is under way; 0: none
  std::optional<double> eta_seconds;
  double eta_sigma_seconds = 0;
  double active_seconds = 0;
  std::vector<WorkerStatus> workers;  ///< heaviest first
  std::string result_json;            ///< empty unless complete
  std::vector<std::string> result_files;
  std::string workload_digest;     ///< of JobSpec::workload_parameters, as the journal has them
  std::int64_t resumed_tasks = 0;  ///< were in the journal when this process first opened it
};

/// The latest requests of the operator.
struct OperatorRequests {
  bool to_be_suspended = false;
  std::string container_ends_digest;  ///< as JobControl::ContainerEndsDigest
};

/// The state's name on the wire: "Running", "Complete", "Failed", "Interrupted" or "Blocked".
[[nodiscard]] std::string StateText(const JobStatus& status);

/// The state of the job that the live page shows.
[[nodiscard]] LiveState LiveStateOf(const std::string& job, const JobStatus& status);

/// Takes over a snapshot of a run; `earlier` is what earlier starts did. Fields that a snapshot
/// does not tell (epoch, result, reason, ...) stay.
void Apply(const engine::Progress& progress, const WorkByNode& earlier, JobStatus& status);

/// Takes over how a run ended.
void Apply(const model::RunSummary& summary, JobStatus& status);

/// The body of GET /progress; docs/coordinator.md has its fields. At most 64 workers; what is
/// unknown is absent, but etaSeconds is null.
[[nodiscard]] std::string StatusJson(const JobStatus& status, const OperatorRequests& requests);

/// {"state": ..., "reason": ...} for requests that are refused.
[[nodiscard]] std::string ReasonJson(std::string_view state, std::string_view reason);

/// ["a", "b"]
[[nodiscard]] std::string ListJson(const std::vector<std::string>& names);

}  // namespace evenkeel::coordinator
