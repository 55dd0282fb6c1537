#include "core/metrics/catalogue.h"

#include <cstddef>

#include "core/metrics/operator_catalogue.h"

namespace evenkeel::metrics {
namespace {

constexpr Label kByNode[] = {kNode};
constexpr Label kByNodeAndProfile[] = {kNode, kProfile};
constexpr Label kByReason[] = {kReason};
constexpr Label kByKindAndOutcome[] = {kKind, kOutcome};
constexpr Label kByDirection[] = {kDirection};
constexpr Label kByJob[] = {kNamespace, kWeightedJob};
constexpr Label kByJobAndState[] = {kNamespace, kWeightedJob, kRunState};
constexpr Label kByNodeAndWay[] = {kNode, kWay};

// From tasks that take no time worth a message to the default limit of a task's time.
constexpr double kTaskSeconds[] = {0.0001, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1,
                                   2.5,    5,     10,   30,   60,  300,  900, 3600};

constexpr MetricDefinition kOfCoordinators[] = {
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
     "Moves of reserved and leased ranges that were done or failed, second runs that were started.",
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
    {Metric::kNodeThreads,
     "evenkeel_node_threads",
     MetricType::kGauge,
     kByNode,
     "threads",
     "Threads of the node's worker; absent until it has come.",
     {}},
    {Metric::kStolenTasks,
     "evenkeel_stolen_tasks_total",
     MetricType::kCounter,
     kByNodeAndWay,
     "tasks",
     "Tasks run here that were planned elsewhere (in), or the other way round (out).",
     {}},
    {Metric::kJobElapsed,
     "evenkeel_job_elapsed_seconds",
     MetricType::kGauge,
     {},
     "seconds",
     "Time that the job has been running, all starts together.",
     {}},
    {Metric::kJobLowerBound,
     "evenkeel_job_lower_bound_seconds",
     MetricType::kGauge,
     {},
     "seconds",
     "The job's cost over the measured rates of all its nodes; absent until all are measured.",
     {}},
    {Metric::kJobState,
     "evenkeel_job_state",
     MetricType::kGauge,
     kByJobAndState,
     "state",
     "1 for the state the job is in, 0 for the others.",
     {}},
    {Metric::kResultsSize,
     "evenkeel_results_volume_size_bytes",
     MetricType::kGauge,
     {},
     "bytes",
     "Size of the volume with journal and results.",
     {}},
    {Metric::kResultsFree,
     "evenkeel_results_volume_free_bytes",
     MetricType::kGauge,
     {},
     "bytes",
     "What is free of the volume with journal and results.",
     {}},
    {Metric::kEnergy,
     "evenkeel_energy_joules_total",
     MetricType::kCounter,
     kByNodeAndProfile,
     "joules",
     "Estimated energy of the tasks above the node's idle draw; absent where power is not known.",
     {}},
};

constexpr bool IsInOrder() {
  for (std::size_t i = 0; i < std::size(kOfCoordinators); ++i) {
    if (kOfCoordinators[i].metric != static_cast<Metric>(i)) return false;
  }
  return true;
}
static_assert(IsInOrder(), "Definition() looks metrics up by their number");

}  // namespace

std::span<const MetricDefinition> Catalogue(MetricSource source) {
  return source == MetricSource::kOperator ? OperatorCatalogue() : kOfCoordinators;
}

const MetricDefinition& Definition(Metric metric) {
  const auto number = static_cast<std::size_t>(metric);
  const std::size_t first = std::size(kOfCoordinators);
  return number < first ? kOfCoordinators[number] : OperatorCatalogue()[number - first];
}

}  // namespace evenkeel::metrics
