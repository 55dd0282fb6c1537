#pragma once

#include <span>
#include <string_view>

/// Definitions of all metrics of coordinators and the operator. docs/metrics.md documents them; a
/// test compares both.
namespace evenkeel::metrics {

enum class MetricSource { kCoordinator, kOperator };
enum class MetricType { kCounter, kGauge, kHistogram };

/// A label. The number of values is bounded, because each combination is a series in Prometheus.
struct Label {
  std::string_view name;
  std::span<const std::string_view> values;  ///< all values; empty: see the comment of the label
};

inline constexpr std::string_view kReasons[] = {"task", "timeout"};
inline constexpr std::string_view kMoveKinds[] = {"reserved", "leased", "copy"};
inline constexpr std::string_view kMoveOutcomes[] = {"done", "started", "failed"};
inline constexpr std::string_view kDirections[] = {"sent", "received"};
inline constexpr std::string_view kWays[] = {"in", "out"};
inline constexpr std::string_view kRunStates[] = {"Running", "Blocked", "Interrupted", "Complete",
                                                  "Failed"};
inline constexpr std::string_view kJobStates[] = {"Pending", "Progressing", "Suspended", "Complete",
                                                  "Failed"};
inline constexpr std::string_view kCounted[] = {"counted", "missed"};
inline constexpr std::string_view kResults[] = {"success", "error", "requeue_after"};
inline constexpr std::string_view kController[] = {"weightedjob"};
inline constexpr std::string_view kLeaseName[] = {"evenkeel-operator"};

inline constexpr Label kNode{"node", {}};  ///< one value per node of the job
/// One value per job; the operator keeps at most kMaxHistorySeries pairs of node and profile.
inline constexpr Label kProfile{"profile", {}};
/// Namespace of the jobs. Not `namespace`, which Prometheus sets to that of the operator.
inline constexpr Label kJobNamespace{"job_namespace", {}};
inline constexpr Label kNamespace{"namespace", {}};  ///< one value per job
/// One value per job, on gauges only: these disappear with the job. Prometheus reserves `job`.
inline constexpr Label kWeightedJob{"weighted_job", {}};
inline constexpr Label kReason{"reason", kReasons};
inline constexpr Label kKind{"kind", kMoveKinds};
inline constexpr Label kOutcome{"outcome", kMoveOutcomes};
inline constexpr Label kDirection{"direction", kDirections};
inline constexpr Label kWay{"way", kWays};
inline constexpr Label kRunState{"state", kRunStates};
inline constexpr Label kStateOfJob{"state", kJobStates};
inline constexpr Label kCountedOutcome{"outcome", kCounted};
inline constexpr Label kControllerName{"controller", kController};
inline constexpr Label kResult{"result", kResults};
inline constexpr Label kQueueName{"name", kController};
inline constexpr Label kLease{"name", kLeaseName};
inline constexpr Label kCode{"code", {}};      ///< HTTP status or <error>
inline constexpr Label kHost{"host", {}};      ///< one value: the API server
inline constexpr Label kMethod{"method", {}};  ///< HTTP methods that the operator uses

/// Maximum number of pairs of node and profile that the operator keeps. Beyond it, the profiles
/// that finished longest ago are removed.
inline constexpr int kMaxHistorySeries = 2048;

enum class Metric {
  kWorkUnits,
  kWorkerBusy,
  kWorkerDataWait,
  kWorkerFetchedBytes,
  kWorkerFetchTime,
  kTasksCompleted,
  kTasksFailed,
  kTaskDuration,
  kMoves,
  kTransfer,
  kNodeWeight,
  kNodeRate,
  kJobProgress,
  kJobEta,
  kJobLoadImbalance,
  kNodeThreads,
  kStolenTasks,
  kJobElapsed,
  kJobLowerBound,
  kJobState,
  kResultsSize,
  kResultsFree,
  kEnergy,
  // Operator:
  kReconciles,
  kReconcileErrors,
  kReconcileTime,
  kMaxConcurrentReconciles,
  kActiveWorkers,
  kQueueDepth,
  kQueueAdds,
  kQueueWait,
  kQueueWork,
  kQueueUnfinished,
  kQueueLongest,
  kQueueRetries,
  kApiRequests,
  kLeader,
  kProcessCpu,
  kProcessMemory,
  kProcessStart,
  kJobs,
  kNodePower,
  kNodeIdlePower,
  kHistoryUnits,
  kHistoryBusy,
  kHistoryEnergy,
  kHistoryJobs,
  kHistorySeries,
};

struct MetricDefinition {
  Metric metric;
  std::string_view name;
  MetricType type;
  std::span<const Label> labels;
  std::string_view unit;            ///< a base unit, or the counted things
  std::string_view help;            ///< one line
  std::span<const double> buckets;  ///< upper bounds, rising; histograms only
};

/// The metrics of one kind of process, in the order of the enumeration.
[[nodiscard]] std::span<const MetricDefinition> Catalogue(MetricSource source);

[[nodiscard]] const MetricDefinition& Definition(Metric metric);

}  // namespace evenkeel::metrics
