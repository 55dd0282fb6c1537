#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/time.h"

/// Figures derived from a run. The engine, metrics, status, pages, reports and simulator all take
/// them from here. Times are in seconds; work is in any one unit, the same throughout a call.
///
/// The makespan itself is a measurement: the time from the start of the job to its last durable
/// result.
namespace evenkeel::model {

/// The work of a job.
struct WorkSize {
  double total = 0;    ///< units, of all tasks
  double longest = 0;  ///< units, of the task with the highest cost
};

/// The speed of one node that may run tasks of the job.
struct NodeCapacity {
  double units_per_second = 0;  ///< all threads together
  std::uint32_t threads = 1;    ///< equally fast; a task runs on one of them
};

/// Seconds that no schedule can beat:
///
///   max(total / sum of the speeds of all nodes, longest task / fastest thread)
///
/// For equal machines this is the bound of R. McNaughton, "Scheduling with deadlines and loss
/// functions" (1959); for machines of different speeds, the outer two terms of the bound of
/// E. C. Horvath, S. Lam and R. Sethi, "A level algorithm for preemptive scheduling" (1977).
/// Nodes with speed 0 add nothing. Nothing if no node has a speed above 0. 0 if there is no work.
[[nodiscard]] std::optional<double> LowerBoundSeconds(const WorkSize& work,
                                                      const std::vector<NodeCapacity>& nodes);

/// The same for nodes whose speeds change. `units_done(t)` is the work that all nodes together can
/// do until t seconds after the start; it never decreases. `fastest_thread` is the highest speed of
/// one thread at any time, in units per second. Nothing if the nodes cannot do the work in 30
/// years.
[[nodiscard]] std::optional<double> LowerBoundSeconds(
    const WorkSize& work, const std::function<double(Duration)>& units_done, double fastest_thread);

/// lower bound / makespan: 1 is a perfect schedule without any overhead. 0 if there is no makespan.
[[nodiscard]] double Efficiency(double lower_bound_seconds, double makespan_seconds);

/// makespan / lower bound, the factor that a run took longer than the bound. 0 if there is no
/// bound.
[[nodiscard]] double MakespanOverBound(double makespan_seconds, double lower_bound_seconds);

/// busy / (threads x makespan): the fraction of the time that `threads` threads together spent
/// inside tasks. `busy_seconds` is summed over the threads. 0 if there are no threads or no
/// makespan.
[[nodiscard]] double Utilization(double busy_seconds, double threads, double makespan_seconds);

/// 1 - mean / max of the nodes' finish times, 0..1: the fraction of the time for which the average
/// node is idle before the last node ends. This is 1 minus the load balance efficiency of the POP
/// metrics (https://pop-coe.eu), over finish times. A node without a result has finish time 0.
/// 0 if no node has finished anything.
[[nodiscard]] double LoadImbalance(const std::vector<double>& finish_seconds);

/// LoadImbalance() x 100 %.
[[nodiscard]] double LoadImbalancePercent(const std::vector<double>& finish_seconds);

}  // namespace evenkeel::model
