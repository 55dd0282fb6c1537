#include "workloads/parameter_estimation/exact_schedule.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::workloads::parameter_estimation {
namespace {

// A state takes some 100 bytes: 25 MB for each searching thread.
constexpr std::size_t kMaxInfeasibleStates = std::size_t{1} << 18;
// Steps between two checks of the stop token: well under 100 ms.
constexpr std::int64_t kStepsPerStopCheck = 256;

}  // namespace

DeadlineSearch::DeadlineSearch(const SchedulingProblem& problem, const UnitCounts& counts,
                               std::uint32_t deadline, std::int64_t limit,
                               const std::stop_token& stop)
    : problem_(problem),
      counts_(counts),
      limit_(limit),
      stop_(stop),
      all_(problem.nodes.size() == 64 ? ~Mask{0} : Bit(problem.nodes.size()) - 1),
      starts_(problem.nodes.size(), kNotStarted),
      by_latest_(problem.units.size()),
      interchangeable_(problem.nodes.size()),
      earliest_(problem.nodes.size()) {
  for (std::size_t node = 0; node < problem.nodes.size(); ++node) {
    latest_.push_back(deadline - std::min(deadline, problem.nodes[node].tail));
    by_latest_[problem.nodes[node].unit].push_back(node);
  }
  for (auto& nodes : by_latest_) {
    std::stable_sort(nodes.begin(), nodes.end(),
                     [this](std::size_t a, std::size_t b) { return latest_[a] < latest_[b]; });
  }
  FindInterchangeable();
}

void DeadlineSearch::FindInterchangeable() {
  const auto& nodes = problem_.nodes;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      if (nodes[a].unit == nodes[b].unit && nodes[a].before == nodes[b].before)
        interchangeable_[a] |= Bit(b);
    }
  }
}

DeadlineSearch::Answer DeadlineSearch::Run() {
  if (SearchFrom(0)) return Answer::kFound;
  if (stopped_) return Answer::kStopped;
  return limit_reached_ ? Answer::kLimitReached : Answer::kNone;
}

bool DeadlineSearch::CountStep() {
  if (steps_ % kStepsPerStopCheck == 0 && stop_.stop_requested()) stopped_ = true;
  if (steps_ >= limit_) limit_reached_ = true;
  if (stopped_ || limit_reached_) return false;
  ++steps_;
  return true;
}

bool DeadlineSearch::SearchFrom(std::uint32_t cycle) {
  if (started_ == all_) return true;
  if (!CountStep() || !MayMeetDeadline(cycle)) return false;
  std::string state = StateAt(cycle);
  if (infeasible_states_.count(state) > 0) return false;
  if (ScheduleTypesFrom(0, cycle)) return true;
  const bool all_tried = !stopped_ && !limit_reached_;
  if (all_tried && infeasible_states_.size() < kMaxInfeasibleStates)
    infeasible_states_.insert(std::move(state));
  return false;
}

bool DeadlineSearch::ScheduleTypesFrom(std::size_t unit, std::uint32_t cycle) {
  if (unit < problem_.units.size()) {
    return ScheduleReadyFrom(ReadyOperations(unit, cycle), 0, FreeUnits(unit, cycle), 0);
  }
  if (started_ == all_) return true;
  const std::uint32_t next = NextEvent(cycle);
  return next != kNotStarted && SearchFrom(next);  // false: no event to wait for
}

bool DeadlineSearch::ScheduleReadyFrom(const Choice& choice, std::size_t n, std::uint32_t left,
                                       Mask skipped) {
  if (!CountStep()) return false;
  const bool busy_for_one_cycle = problem_.units[choice.unit].occupancy == 1;
  if (n == choice.ready.size()) return ScheduleTypesFrom(choice.unit + 1, choice.cycle);
  const std::size_t node = choice.ready[n];
  if (left > 0 && (skipped & interchangeable_[node]) == 0) {
    starts_[node] = choice.cycle;
    started_ |= Bit(node);
    if (ScheduleReadyFrom(choice, n + 1, left - 1, skipped)) return true;
    started_ &= ~Bit(node);
    starts_[node] = kNotStarted;
  }
  if (latest_[node] <= choice.cycle) return false;  // it has to start now
  // The unit would stay idle for the one cycle that the operation occupies it, so starting is as
  // good.
  if (busy_for_one_cycle && choice.ready.size() - n - 1 < left) return false;
  return ScheduleReadyFrom(choice, n + 1, left, skipped | Bit(node));
}

DeadlineSearch::Choice DeadlineSearch::ReadyOperations(std::size_t unit,
                                                       std::uint32_t cycle) const {
  Choice choice{cycle, unit, {}};
  for (const std::size_t node : by_latest_[unit]) {
    if ((started_ & Bit(node)) != 0) continue;
    const auto& after = problem_.nodes[node].after;
    const bool ready = std::all_of(after.begin(), after.end(), [&](std::size_t operand) {
      const std::uint32_t latency = problem_.units[problem_.nodes[operand].unit].latency;
      return (started_ & Bit(operand)) != 0 && starts_[operand] + latency <= cycle;
    });
    if (ready) choice.ready.push_back(node);
  }
  return choice;
}

std::uint32_t DeadlineSearch::FreeUnits(std::size_t unit, std::uint32_t cycle) const {
  std::uint32_t busy = 0;
  for (const std::size_t node : by_latest_[unit]) {
    const bool holds_it =
        starts_[node] != kNotStarted && starts_[node] + problem_.units[unit].occupancy > cycle;
    if (holds_it) ++busy;
  }
  return counts_[unit] - busy;
}

std::uint32_t DeadlineSearch::NextEvent(std::uint32_t cycle) const {
  std::uint32_t next = kNotStarted;
  for (std::size_t node = 0; node < starts_.size(); ++node) {
    if (starts_[node] == kNotStarted) continue;
    const auto& unit = problem_.units[problem_.nodes[node].unit];
    for (const std::uint32_t end : {starts_[node] + unit.occupancy, starts_[node] + unit.latency}) {
      if (end > cycle) next = std::min(next, end);
    }
  }
  return next;
}

bool DeadlineSearch::MayMeetDeadline(std::uint32_t cycle) {
  for (std::size_t node = 0; node < starts_.size(); ++node) {
    if (starts_[node] != kNotStarted) continue;
    earliest_[node] = cycle;
    for (const std::size_t operand : problem_.nodes[node].after) {
      const std::uint32_t latency = problem_.units[problem_.nodes[operand].unit].latency;
      const std::uint32_t start =
          starts_[operand] == kNotStarted ? earliest_[operand] : starts_[operand];
      earliest_[node] = std::max(earliest_[node], start + latency);
    }
    if (earliest_[node] > latest_[node]) return false;
  }
  for (std::size_t unit = 0; unit < problem_.units.size(); ++unit) {
    if (!HasEnoughUnits(unit, cycle)) return false;
  }
  return true;
}

// Checks for each latest start that enough operations can start until then.
bool DeadlineSearch::HasEnoughUnits(std::size_t unit, std::uint32_t cycle) const {
  const std::uint32_t occupancy = problem_.units[unit].occupancy;
  std::vector<std::uint32_t> busy_until;
  for (const std::size_t node : by_latest_[unit]) {
    if (starts_[node] == kNotStarted || starts_[node] + occupancy <= cycle) continue;
    busy_until.push_back(starts_[node] + occupancy);
  }
  const std::size_t idle = counts_[unit] - busy_until.size();
  std::size_t needed = 0;
  for (const std::size_t node : by_latest_[unit]) {
    if (starts_[node] != kNotStarted) continue;
    ++needed;
    const std::uint32_t last = latest_[node];
    std::size_t possible = idle * ((last - cycle) / occupancy + 1);
    for (const std::uint32_t free : busy_until) {
      if (free <= last) possible += (last - free) / occupancy + 1;
    }
    if (possible < needed) return false;
  }
  return true;
}

std::string DeadlineSearch::StateAt(std::uint32_t cycle) const {
  std::string state;
  const auto put = [&state](std::uint64_t value, int bytes) {
    for (int n = 0; n < bytes; ++n) state.push_back(static_cast<char>((value >> (8 * n)) & 0xff));
  };
  put(cycle, 4);
  put(started_, 8);
  for (std::size_t node = 0; node < starts_.size(); ++node) {
    if (starts_[node] == kNotStarted) continue;
    const std::uint32_t end = starts_[node] + problem_.units[problem_.nodes[node].unit].latency;
    if (end <= cycle) continue;
    put(node, 1);
    put(end - cycle, 2);
  }
  return state;
}

ExactSchedule FindShortestSchedule(const SchedulingProblem& problem, const UnitCounts& counts,
                                   Schedule known, std::int64_t limit,
                                   const std::stop_token& stop) {
  EVENKEEL_CHECK(problem.nodes.size() <= kMaxExactOperations,
                 "a set of operations fits into one word");
  ExactSchedule best{std::move(known), false, false};
  const std::uint32_t bound = LowerBound(problem, counts);
  for (std::uint32_t length = LengthOf(problem, best.schedule); length > bound;
       length = LengthOf(problem, best.schedule)) {
    DeadlineSearch search(problem, counts, length - 1, limit, stop);
    const DeadlineSearch::Answer answer = search.Run();
    limit -= search.Steps();
    best.stopped = answer == DeadlineSearch::Answer::kStopped;
    if (answer == DeadlineSearch::Answer::kFound) {
      best.schedule = search.schedule();
      continue;
    }
    best.proven = answer == DeadlineSearch::Answer::kNone;
    return best;
  }
  best.proven = true;
  return best;
}

}  // namespace evenkeel::workloads::parameter_estimation
