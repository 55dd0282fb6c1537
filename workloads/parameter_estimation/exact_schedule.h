#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include "workloads/parameter_estimation/scheduling_problem.h"

namespace evenkeel::workloads::parameter_estimation {

/// A depth-first search for a schedule that ends by `deadline`; see FindShortestSchedule. Used
/// once, by one thread; the problem and the counts must outlive it.
class DeadlineSearch {
 public:
  enum class Answer {
    kFound,
    kNone,          ///< no such schedule exists
    kLimitReached,  ///< after `limit` steps
    kStopped,       ///< `stop` was requested
  };

  DeadlineSearch(const SchedulingProblem& problem, const UnitCounts& counts, std::uint32_t deadline,
                 std::int64_t limit, const std::stop_token& stop);

  [[nodiscard]] Answer Run();
  /// After kFound.
  [[nodiscard]] const Schedule& schedule() const { return starts_; }
  /// Number of states and choices visited.
  [[nodiscard]] std::int64_t Steps() const { return steps_; }

 private:
  using Mask = std::uint64_t;
  static constexpr std::uint32_t kNotStarted = std::numeric_limits<std::uint32_t>::max();

  /// The ready operations of one type in one cycle, the most urgent first.
  struct Choice {
    std::uint32_t cycle = 0;
    std::size_t unit = 0;
    std::vector<std::size_t> ready;
  };

  [[nodiscard]] static Mask Bit(std::size_t node) { return Mask{1} << node; }
  /// Counts a step. Returns false if the search must end.
  [[nodiscard]] bool CountStep();
  /// Tries to schedule all operations that have not started, from this cycle on.
  bool SearchFrom(std::uint32_t cycle);
  /// Tries all choices of operations to start in this cycle, for the types from `unit` on.
  bool ScheduleTypesFrom(std::size_t unit, std::uint32_t cycle);
  /// Tries to start or skip each ready operation from the n-th on. `left` units are free.
  /// Operations in `skipped`, and those interchangeable with one of them, must not start.
  bool ScheduleReadyFrom(const Choice& choice, std::size_t n, std::uint32_t left, Mask skipped);
  [[nodiscard]] Choice ReadyOperations(std::size_t unit, std::uint32_t cycle) const;
  [[nodiscard]] std::uint32_t FreeUnits(std::size_t unit, std::uint32_t cycle) const;
  [[nodiscard]] std::uint32_t NextEvent(std::uint32_t cycle) const;
  /// False if one operation, or the operations of one type together, would miss the deadline.
  [[nodiscard]] bool MayMeetDeadline(std::uint32_t cycle);
  [[nodiscard]] bool HasEnoughUnits(std::size_t unit, std::uint32_t cycle) const;
  /// A key of everything that the rest of the search depends on: the cycle, the started operations,
  /// and the remaining cycles of those that run.
  [[nodiscard]] std::string StateAt(std::uint32_t cycle) const;
  void FindInterchangeable();

  const SchedulingProblem& problem_;
  const UnitCounts& counts_;
  std::int64_t limit_;
  std::stop_token stop_;
  bool limit_reached_ = false;
  bool stopped_ = false;
  std::int64_t steps_ = 0;
  Mask all_;
  Mask started_ = 0;
  Schedule starts_;
  std::vector<std::uint32_t> latest_;                // start of each node
  std::vector<std::vector<std::size_t>> by_latest_;  // nodes of each type, most urgent first
  std::vector<Mask> interchangeable_;    // of each node: nodes of its type with the same successors
  std::vector<std::uint32_t> earliest_;  // of each node, used by MayMeetDeadline only
  std::unordered_set<std::string> infeasible_states_;
};

struct ExactSchedule {
  Schedule schedule;
  bool proven = false;   ///< no schedule is shorter; false: the search reached its limit
  bool stopped = false;  ///< `stop` was requested; the other members are invalid
};

/// Finds the shortest schedule by branch and bound. Starting from `known`, repeatedly searches for
/// a schedule that is one cycle shorter than the best so far, until none exists or `limit` steps
/// were made in total. The result is never longer than `known`. It depends only on the arguments,
/// so it is the same on every machine. At most kMaxExactOperations nodes.
///
/// The search visits the cycles in which a unit or a result becomes available and branches over the
/// ready operations to start. It prunes: idle units that would be free again in the next cycle
/// (starting an operation there earlier never harms), permutations of interchangeable operations,
/// states that are known to be infeasible, and states in which an operation, or the operations of
/// one type together, would miss the deadline.
[[nodiscard]] ExactSchedule FindShortestSchedule(const SchedulingProblem& problem,
                                                 const UnitCounts& counts, Schedule known,
                                                 std::int64_t limit, const std::stop_token& stop);

}  // namespace evenkeel::workloads::parameter_estimation
