#pragma once

#include <span>
#include <string_view>

/// Every metric that a job's coordinator offers, defined in one place. docs/metrics.md is the same
/// for readers; a test compares them.
namespace evenkeel::metrics {

enum class MetricType { kCounter, kGauge, kHistogram };

/// A label. Their values are bounded, since each combination is a series for Prometheus to keep.
struct Label {
  std::string_view name;
  std::span<const std::string_view> values;  ///< all there are; empty: see the comment at the label
};

inline constexpr std::string_view kReasons[] = {"task", "timeout"};
inline constexpr std::string_view kMoveKinds[] = {"reserved", "leased", "copy"};
inline constexpr std::string_view kMoveOutcomes[] = {"done", "started"};
inline constexpr std::string_view kDirections[] = {"sent", "received"};

inline constexpr Label kNode{"node", {}};            ///< as many as the job has nodes
inline constexpr Label kProfile{"profile", {}};      ///< one a job
inline constexpr Label kNamespace{"namespace", {}};  ///< one a job
/// One a job, and only on gauges, which go when the job goes. Not `job`: that is Prometheus' own.
inline constexpr Label kWeightedJob{"weighted_job", {}};
inline constexpr Label kReason{"reason", kReasons};
inline constexpr Label kKind{"kind", kMoveKinds};
inline constexpr Label kOutcome{"outcome", kMoveOutcomes};
inline constexpr Label kDirection{"direction", kDirections};

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

/// All of them, in the order of the enumeration.
[[nodiscard]] std::span<const MetricDefinition> Catalogue();

[[nodiscard]] const MetricDefinition& Definition(Metric metric);

}  // namespace evenkeel::metrics
