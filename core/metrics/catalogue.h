#pragma once

#include <span>
#include <string_view>

/// Every metric that coordinators and the operator offer, defined in one place. docs/metrics.md is
/// the same for readers; a test compares them.
namespace evenkeel::metrics {

enum class MetricSource { kCoordinator, kOperator };
enum class MetricType { kCounter, kGauge, kHistogram };

/// A label. Their values are bounded, since each combination is a series for Prometheus to keep.
struct Label {
  std::string_view name;
  std::span<const std::string_view> values;  ///< all there are; empty: see the comment at the label
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

inline constexpr Label kNode{"node", {}};  ///< as many as the job has nodes
/// One a job; the operator keeps so many series of (node, profile) as kMaxHistorySeries says.
inline constexpr Label kProfile{"profile", {}};
inline constexpr Label kNamespace{"namespace", {}};  ///< one a job
/// One a job, and only on gauges, which go when the job goes. Not `job`: that is Prometheus' own.
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
inline constexpr Label kCode{"code", {}};      ///< a status of HTTP, or <error>
inline constexpr Label kHost{"host", {}};      ///< one: the API server
inline constexpr Label kMethod{"method", {}};  ///< those of HTTP that the operator uses

/// Series of (node, profile) that the operator keeps at most: beyond, the profiles that were
/// finished longest ago go.
inline constexpr int kMaxHistorySeries = 2048;

enum class Metric {
  kWorkUnits,
  kWorkerBusy,
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
  // The operator's.
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
  std::string_view unit;            ///< a base unit, or what is counted
  std::string_view help;            ///< one line
  std::span<const double> buckets;  ///< upper bounds, rising; histograms only
};

/// Those of one kind of process, in the order of the enumeration.
[[nodiscard]] std::span<const MetricDefinition> Catalogue(MetricSource source);

[[nodiscard]] const MetricDefinition& Definition(Metric metric);

}  // namespace evenkeel::metrics
