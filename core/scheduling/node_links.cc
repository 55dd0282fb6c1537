#include "core/scheduling/node_links.h"

#include <algorithm>
#include <deque>

namespace evenkeel::scheduling {

const NodeLinks& NodeLinks::None() {
  static const NodeLinks none;
  return none;
}

void NodeLinks::Add(WorkerId one, WorkerId other, double tasks_per_second) {
  links_[Key(one, other)] = tasks_per_second;
  neighbors_[one].insert(other);
  neighbors_[other].insert(one);
}

std::vector<WorkerId> NodeLinks::Route(WorkerId from, WorkerId to) const {
  if (links_.empty()) return {to};
  std::map<WorkerId, WorkerId> reached_from{{from, from}};
  std::deque<WorkerId> edge{from};
  for (; !edge.empty() && !reached_from.contains(to); edge.pop_front()) {
    const auto known = neighbors_.find(edge.front());
    if (known == neighbors_.end()) continue;
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

std::optional<double> NodeLinks::RateOf(WorkerId one, WorkerId other) const {
  const auto link = links_.find(Key(one, other));
  if (link == links_.end()) return std::nullopt;
  return link->second;
}

std::optional<double> NodeLinks::Rate(WorkerId from, WorkerId to) const {
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
