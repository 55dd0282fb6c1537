#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/condition.h"
#include "operator/api/timestamp.h"

namespace evenkeel::api {

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

/// status of a WeightedJob. Times are whole seconds. Comparing two of them tells whether there is
/// anything to write.
struct JobStatus {
  std::int64_t observed_generation = 0;
  std::string state;  ///< type of the condition that is True, else Pending
  std::optional<TaskCounts> tasks;
  std::string progress;        ///< "63%"
  std::string failed_indexes;  ///< "3,7-9", capped
  std::optional<Timestamp> start_time;
  std::optional<Timestamp> completion_time;
  std::optional<Timestamp> estimated_completion_time;
  std::int32_t active_workers = 0;  ///< connected to the coordinator
  std::vector<WorkerRow> workers;   ///< the heaviest first; nodes differ
  JobResult result;
  Conditions conditions;

  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

/// Rows of status.workers that are written; the heaviest nodes stay.
inline constexpr std::size_t kMaxWorkerRows = 64;

}  // namespace evenkeel::api
