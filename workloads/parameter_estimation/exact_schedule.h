#pragma once

#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include "workloads/parameter_estimation/scheduling_problem.h"

namespace evenkeel::workloads::parameter_estimation {

/// Is there a schedule that ends by `deadline`? A depth-first search; see exact_schedule.h. Used
/// once, by one thread; the problem and the counts must outlive it.
class DeadlineSearch {
 public:
  enum class Answer {
    kFound,
    kNone,     ///< there is none
    kGaveUp,   ///< after `limit` steps
    kStopped,  ///< `stop` was requested
  };

  DeadlineSearch(const SchedulingProblem& problem, const UnitCounts& counts, std::uint32_t deadline,
                 std::int64_t limit, const std::stop_token& stop);

  [[nodiscard]] Answer Run();
  /// After kFound.
  [[nodiscard]] const Schedule& Found() const { return starts_; }
  /// States and choices looked at.
  [[nodiscard]] std::int64_t Steps() const { return steps_; }

 private:
  using Mask = std::uint64_t;
  static constexpr std::uint32_t kNotYet = std::numeric_limits<std::uint32_t>::max();

  /// The ready operations of one type in one cycle, the most urgent first.
  struct Choice {
    std::uint32_t cycle = 0;
    std::size_t unit = 0;
    std::vector<std::size_t> ready;
  };

  [[nodiscard]] static Mask Bit(std::size_t node) { return Mask{1} << node; }
  /// Counts a step; false if the search has to end.
  [[nodiscard]] bool MayGoOn();
  /// True if everything can be scheduled from this cycle on, given what has been started.
  bool Explore(std::uint32_t cycle);
  /// Decides for the types from `unit` on what starts in this cycle.
  bool StartFrom(std::size_t unit, std::uint32_t cycle);
  /// Decides for the ready operations from the n-th on; `left` units are free, and no operation in
  /// `passed` or like one in it may start.
  bool Pick(const Choice& choice, std::size_t n, std::uint32_t left, Mask passed);
  [[nodiscard]] Choice ReadyFor(std::size_t unit, std::uint32_t cycle) const;
  [[nodiscard]] std::uint32_t FreeUnits(std::size_t unit, std::uint32_t cycle) const;
  [[nodiscard]] std::uint32_t NextEvent(std::uint32_t cycle) const;
  /// False if some operation is too late already, or so many of one type.
  [[nodiscard]] bool Promising(std::uint32_t cycle);
  [[nodiscard]] bool EnoughUnits(std::size_t unit, std::uint32_t cycle) const;
  /// What the future depends on: the cycle, what has been started, and when what runs began.
  [[nodiscard]] std::string StateAt(std::uint32_t cycle) const;
  void FindTwins();

  const SchedulingProblem& problem_;
  const UnitCounts& counts_;
  std::int64_t limit_;
  std::stop_token stop_;
  bool gave_up_ = false;
  bool stopped_ = false;
  std::int64_t steps_ = 0;
  Mask all_;
  Mask started_ = 0;
  Schedule starts_;
  std::vector<std::uint32_t> latest_;                // start of each node
  std::vector<std::vector<std::size_t>> by_latest_;  // nodes of each type, most urgent first
  std::vector<Mask> twins_;              // of each node: of its type, with its followers
  std::vector<std::uint32_t> earliest_;  // of each node, for Promising alone
  std::unordered_set<std::string> hopeless_;
};

struct ExactSchedule {
  Schedule schedule;
  bool proven = false;   ///< no schedule is shorter; false: the limit came first
  bool stopped = false;  ///< `stop` was requested: the rest means nothing
};

/// The shortest schedule by branch and bound, starting from `known`: a schedule one cycle shorter
/// than the best so far is looked for until there is none, at most `limit` steps long altogether.
/// What comes out is never longer than `known`. Depends on its arguments alone, so it is the same
/// on every machine. At most kMaxExactOperations nodes.
///
/// The search goes through the cycles in which something ends and branches over the ready
/// operations to start. It leaves out: idle units of types that are free again in the next cycle
/// (starting an operation earlier there never harms), operations that can stand for each other,
/// states that were found hopeless before, and states in which some operation, or so many of one
/// type, would come too late.
[[nodiscard]] ExactSchedule FindShortest(const SchedulingProblem& problem, const UnitCounts& counts,
                                         Schedule known, std::int64_t limit,
                                         const std::stop_token& stop);

}  // namespace evenkeel::workloads::parameter_estimation
