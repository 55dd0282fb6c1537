#include "core/metrics/catalogue.h"

#include <cstddef>

namespace evenkeel::metrics {
namespace {

constexpr Label kByNode[] = {kNode};
constexpr Label kByNodeAndProfile[] = {kNode, kProfile};
constexpr Label kByReason[] = {kReason};
constexpr Label kByKindAndOutcome[] = {kKind, kOutcome};
constexpr Label kByDirection[] = {kDirection};
constexpr Label kByJob[] = {kNamespace, kWeightedJob};

// From tasks that take no time worth a message to the default limit of a task's time.
constexpr double kTaskSeconds[] = {0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1,
                                   2.5,    5,     10,   30,   60,  300,  900, 3600};

constexpr MetricDefinition kCatalogue[] = {
    {Metric::kWorkUnits,
     "evenkeel_work_units_total",
     MetricType::kCounter,
     kByNodeAndProfile,
     "units",
     "Work units of the tasks whose result counted, by the node that ran them.",
     {}},
    {Metric::kWorkerBusy,
     "evenkeel_worker_busy_seconds_total",
     MetricType::kCounter,
     kByNodeAndProfile,
     "seconds",
     "Time inside tasks, summed over the threads of the node's worker; wasted runs included.",
     {}},
    {Metric::kTasksCompleted,
     "evenkeel_tasks_completed_total",
     MetricType::kCounter,
     {},
     "tasks",
     "Tasks whose result is durable, those of the job's earlier starts included.",
     {}},
    {Metric::kTasksFailed,
     "evenkeel_tasks_failed_total",
     MetricType::kCounter,
     kByReason,
     "tasks",
     "Tasks that failed for good, those of the job's earlier starts included.",
     {}},
    {Metric::kTaskDuration,
     "evenkeel_task_duration_seconds",
     MetricType::kHistogram,
     {},
     "seconds",
     "Durations of tasks; those that were reported together count with their mean.",
     kTaskSeconds},
    {Metric::kMoves,
     "evenkeel_moves_total",
     MetricType::kCounter,
     kByKindAndOutcome,
     "moves",
     "Moves of reserved and of leased ranges that were done, and second runs that were started.",
     {}},
    {Metric::kTransfer,
     "evenkeel_transfer_bytes_total",
     MetricType::kCounter,
     kByDirection,
     "bytes",
     "Bytes between the coordinator and its workers, as seen by the coordinator.",
     {}},
    {Metric::kNodeWeight,
     "evenkeel_node_weight_ratio",
     MetricType::kGauge,
     kByNode,
     "ratio",
     "Weight of the node relative to the lightest one.",
     {}},
    {Metric::kNodeRate,
     "evenkeel_node_rate_units_per_second",
     MetricType::kGauge,
     kByNodeAndProfile,
     "units_per_second",
     "Measured work units per second of the node; absent until measured.",
     {}},
    {Metric::kJobProgress,
     "evenkeel_job_progress_ratio",
     MetricType::kGauge,
     kByJob,
     "ratio",
     "Share of the job's cost that is done, 0 to 1.",
     {}},
    {Metric::kJobEta,
     "evenkeel_job_eta_seconds",
     MetricType::kGauge,
     {},
     "seconds",
     "Predicted time from now to the end of the job; absent while it is not known.",
     {}},
    {Metric::kJobLoadImbalance,
     "evenkeel_job_load_imbalance_ratio",
     MetricType::kGauge,
     {},
     "ratio",
     "1 - mean/max of the times at which the nodes ended their last results so far.",
     {}},
};

constexpr bool IsInOrder() {
  for (std::size_t i = 0; i < std::size(kCatalogue); ++i) {
    if (kCatalogue[i].metric != static_cast<Metric>(i)) return false;
  }
  return true;
}
static_assert(IsInOrder(), "Definition() looks metrics up by their number");

}  // namespace

std::span<const MetricDefinition> Catalogue() { return kCatalogue; }

const MetricDefinition& Definition(Metric metric) {
  return kCatalogue[static_cast<std::size_t>(metric)];
}

}  // namespace evenkeel::metrics
