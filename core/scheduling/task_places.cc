#include "core/scheduling/task_places.h"

#include <algorithm>
#include <deque>
#include <iterator>

namespace evenkeel::scheduling {

const TaskPlaces& TaskPlaces::Unknown() {
  static const TaskPlaces unknown;
  return unknown;
}

void TaskPlaces::Put(model::IndexRange range, WorkerId home) {
  if (!range.Empty()) homes_[range.begin] = {range, home};
}

void TaskPlaces::Link(WorkerId one, WorkerId other, double tasks_per_second) {
  links_[Key(one, other)] = tasks_per_second;
  neighbours_[one].insert(other);
  neighbours_[other].insert(one);
}

std::vector<TaskPlaces::Part> TaskPlaces::Split(model::IndexRange range) const {
  std::vector<Part> parts;
  auto next = homes_.upper_bound(range.begin);
  if (next != homes_.begin()) --next;
  for (; next != homes_.end() && next->first < range.end; ++next) {
    const Part& at_home = next->second;
    if (at_home.range.end <= range.begin) continue;
    if (at_home.range.begin > range.begin) {
      parts.push_back({{range.begin, at_home.range.begin}, std::nullopt});
    }
    const model::TaskIndex begin = std::max(range.begin, at_home.range.begin);
    range.begin = std::min(range.end, at_home.range.end);
    parts.push_back({{begin, range.begin}, at_home.home});
  }
  if (!range.Empty()) parts.push_back({range, std::nullopt});
  return parts;
}

std::vector<WorkerId> TaskPlaces::Route(WorkerId from, WorkerId to) const {
  if (links_.empty()) return {to};
  std::map<WorkerId, WorkerId> reached_from{{from, from}};
  std::deque<WorkerId> edge{from};
  for (; !edge.empty() && !reached_from.contains(to); edge.pop_front()) {
    const auto known = neighbours_.find(edge.front());
    if (known == neighbours_.end()) continue;
    for (const WorkerId next : known->second) {
      if (reached_from.emplace(next, edge.front()).second) edge.push_back(next);
    }
  }
  std::vector<WorkerId> route;
  if (!reached_from.contains(to)) return route;
  for (WorkerId at = to; at != from; at = reached_from.at(at)) route.push_back(at);
  std::reverse(route.begin(), route.end());
  return route;
}

std::optional<double> TaskPlaces::RateOf(WorkerId one, WorkerId other) const {
  const auto link = links_.find(Key(one, other));
  if (link == links_.end()) return std::nullopt;
  return link->second;
}

std::optional<double> TaskPlaces::Rate(WorkerId from, WorkerId to) const {
  double seconds = 0;  // of a task
  for (const WorkerId next : Route(from, to)) {
    const auto rate = RateOf(from, next);
    if (!rate) return std::nullopt;
    seconds += 1 / *rate;
    from = next;
  }
  if (seconds <= 0) return std::nullopt;
  return 1 / seconds;
}

}  // namespace evenkeel::scheduling
