#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::cli {

/// The full name of the kind, which no other group can claim.
inline const std::string kJobs = "weightedjobs.batch.evenkeel.dev";
inline const std::string kPolicies = "weightingpolicies.batch.evenkeel.dev";

/// Seconds since 1970 of a timestamp such as "2026-03-01T09:30:00Z"; nothing if the value is none.
[[nodiscard]] std::optional<double> ReadTime(const nlohmann::json& value);

struct JobCondition {
  std::string type;
  std::string status;  ///< "True", "False", "Unknown"
  std::string reason;
  std::string message;
  std::optional<double> since;  ///< seconds since 1970
};

/// A row of status.workers.
struct JobWorker {
  std::string node;
  double weight = 0;
  double share = 0;  ///< of all tasks, 0..1
  std::int64_t completed = 0;
  std::int64_t stolen = 0;
  double rate = 0;  ///< work units per second; 0: not known
  std::string state;
  std::string weight_source;
};

/// The displayed fields of a WeightedJob from the API server. A field that is missing or has an
/// unknown form stays empty, so that jobs of a newer operator can be displayed.
/// All texts are printable.
struct JobObject {
  std::string name;
  std::string name_space;
  std::optional<double> created;  ///< times: seconds since 1970
  std::int64_t generation = 0;
  std::int64_t observed_generation = 0;

  bool suspend = false;
  std::string policy = "default";
  std::string weighting_mode = "Auto";
  std::string strategy = "TailStealing";
  std::int64_t max_workers = 32;
  std::string result_claim;        ///< spec.resultStorage.persistentVolumeClaim
  bool declares_outputs = false;   ///< spec.workload.command.outputs is not empty
  std::vector<std::string> after;  ///< jobs that have to end first: spec.after, spec.rerun.job

  std::int64_t tasks_total = 0;
  std::int64_t tasks_completed = 0;
  std::int64_t tasks_failed = 0;
  std::string failed_indexes;
  double progress = 0;  ///< 0..1
  std::optional<double> start;
  std::optional<double> completion;
  std::optional<double> estimated_completion;
  std::vector<JobWorker> workers;
  std::vector<std::string> seen_complete;  ///< status.after: those of `after` that had ended
  std::vector<JobCondition> conditions;
  std::string result_summary;   ///< the workload's result as JSON text
  std::string result_location;  ///< where the result files are, in words

  /// Nothing if it was never set.
  [[nodiscard]] const JobCondition* Find(const std::string& type) const;
  [[nodiscard]] bool Is(const std::string& type) const;
  /// Complete or Failed: nothing more happens to it.
  [[nodiscard]] bool IsOver() const { return Is("Complete") || Is("Failed"); }
  /// Started, and neither over nor suspended.
  [[nodiscard]] bool IsRunning() const {
    return !IsOver() && !Is("Suspended") && (start || Is("Progressing"));
  }
  /// Neither started nor over, and there are jobs that have to be complete first.
  [[nodiscard]] bool MayWaitForJobs() const { return !after.empty() && !start && !IsOver(); }
  /// The word that kubectl get shows, see cluster::JobState().
  [[nodiscard]] std::string State() const;
};

[[nodiscard]] JobObject ReadJobObject(const nlohmann::json& object);

/// Whether a job can be called so; otherwise the error says what is allowed.
[[nodiscard]] Result<void> CheckJobName(const std::string& name);

}  // namespace evenkeel::cli
