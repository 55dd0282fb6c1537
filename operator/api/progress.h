#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "operator/api/job_status.h"

namespace evenkeel::api {

enum class CoordinatorState {
  kRunning,
  kComplete,
  kFailed,
  kInterrupted,  ///< drained: suspended, or about to end
  kBlocked,      ///< cannot go on for now, e.g. because its disk is full
};

/// What the coordinator says of one worker.
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

/// What a node has done for the job so far, in all starts of its coordinator.
struct NodeWork {
  std::string node;
  double units = 0;          ///< work units of the tasks whose result counted
  double busy_seconds = 0;   ///< inside tasks, summed over its threads
  std::int64_t threads = 0;  ///< of its worker; 0 if not known
};

/// Nodes whose work is read of an answer.
inline constexpr std::size_t kMaxWorkRows = 1024;

/// The answer of a coordinator to GET /progress. Bounded: at most kMaxWorkerRows workers, and texts
/// that fit into a status.
struct Progress {
  std::int64_t epoch = 0;
  CoordinatorState state = CoordinatorState::kRunning;
  std::string reason;
  TaskCounts tasks;
  double fraction = 0;  ///< of the work, 0 to 1
  std::optional<Duration> eta;
  Duration active{};
  std::string failed_indexes;  ///< digits, commas, dashes and dots only
  std::vector<WorkerProgress> workers;
  std::vector<NodeWork> work;  ///< of nodes that have done something, at most kMaxWorkRows
  /// Of JobSpec::workload_parameters, as the coordinator works by them; empty if it does not say.
  std::string workload_digest;
  std::string result;  ///< JSON text of an object; empty while there is none
};

}  // namespace evenkeel::api
