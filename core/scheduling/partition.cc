#include "core/scheduling/partition.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>

#include "core/base/check.h"

namespace evenkeel::scheduling {
namespace {

using model::Cost;
using model::IndexRange;
using model::RangeSet;
using model::TaskIndex;

// Hands out the tasks of a set from front to back.
class FrontToBack {
 public:
  explicit FrontToBack(const RangeSet& todo) : ranges_(todo.Ranges()) {}

  [[nodiscard]] bool Done() const { return next_ == ranges_.size(); }
  [[nodiscard]] IndexRange Current() const { return ranges_[next_]; }
  void TakeUntil(TaskIndex end, RangeSet& part) {
    part.Insert({ranges_[next_].begin, end});
    ranges_[next_].begin = end;
    if (ranges_[next_].Empty()) ++next_;
  }

 private:
  std::vector<IndexRange> ranges_;
  std::size_t next_ = 0;
};

// Where to cut `range` so that its front comes nearest to `budget`.
TaskIndex NearestCut(const model::CostModel& costs, IndexRange range, Cost budget) {
  const TaskIndex below = costs.EndWithin(range, budget);
  if (below == range.end) return below;
  const Cost short_of = budget - costs.Of({range.begin, below});
  const Cost beyond = costs.Of({range.begin, below + 1}) - budget;
  return beyond < short_of ? below + 1 : below;
}

}  // namespace

std::vector<RangeSet> PartitionByCost(const model::CostModel& costs, const RangeSet& todo,
                                      const std::vector<double>& weights) {
  const double weight_sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  EVENKEEL_CHECK(weight_sum > 0, "a partition without weights");
  Cost total = 0;
  todo.ForEach([&](IndexRange range) { total += costs.Of(range); });

  std::vector<RangeSet> parts(weights.size());
  FrontToBack source(todo);
  double weight_so_far = 0;
  Cost handed_out = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    weight_so_far += weights[i];
    const bool last = weight_so_far >= weight_sum * (1 - 1e-12);
    const auto prefix =
        static_cast<Cost>(static_cast<double>(total) * (weight_so_far / weight_sum));
    while (!source.Done() && (last || handed_out < prefix)) {
      const IndexRange range = source.Current();
      const TaskIndex cut = last ? range.end : NearestCut(costs, range, prefix - handed_out);
      if (cut == range.begin) break;
      handed_out += costs.Of({range.begin, cut});
      source.TakeUntil(cut, parts[i]);
    }
  }
  return parts;
}

std::vector<RangeSet> PartitionLargestFirst(const model::CostModel& costs, const RangeSet& todo,
                                            const std::vector<double>& weights, Cost heavy) {
  std::vector<std::pair<Cost, TaskIndex>> largest;
  double total = 0;
  todo.ForEach([&](IndexRange range) {
    for (TaskIndex i = range.begin; i < range.end; ++i) {
      const Cost cost = costs.Of({i, i + 1});
      if (cost >= heavy) largest.emplace_back(cost, i);
      total += static_cast<double>(cost);
    }
  });
  std::sort(largest.begin(), largest.end(), [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first > other.first : one.second < other.second;
  });
  struct Load {
    double time;  // cost / weight
    std::size_t part;
    bool operator>(const Load& other) const {
      return time != other.time ? time > other.time : part > other.part;
    }
  };
  std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) least.push({0, i});
  }
  EVENKEEL_CHECK(!least.empty(), "a partition without weights");
  std::vector<RangeSet> parts(weights.size());
  std::vector<double> loads(weights.size());
  RangeSet light = todo;
  for (const auto& [cost, task] : largest) {
    Load load = least.top();
    least.pop();
    const IndexRange one{task, task + 1};
    parts[load.part].Insert(one);
    light.Erase(one);
    loads[load.part] += static_cast<double>(cost);
    load.time = loads[load.part] / weights[load.part];
    least.push(load);
  }
  if (light.Empty()) return parts;
  const double weight_sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> missing(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    missing[i] = std::max(total * weights[i] / weight_sum - loads[i], 0.0);
  }
  // Tasks that cost nothing are missing nowhere.
  const bool none_missing =
      std::all_of(missing.begin(), missing.end(), [](double cost) { return cost <= 0; });
  const auto fill = PartitionByCost(costs, light, none_missing ? weights : missing);
  for (std::size_t i = 0; i < fill.size(); ++i) {
    fill[i].ForEach([&](IndexRange range) { parts[i].Insert(range); });
  }
  return parts;
}

std::vector<RangeSet> PartitionInTurn(const RangeSet& todo, const std::vector<double>& weights,
                                      std::int64_t blocks) {
  const double weight_sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  EVENKEEL_CHECK(weight_sum > 0, "a partition without weights");
  const std::int64_t block =
      std::max<std::int64_t>(todo.Size() / std::max<std::int64_t>(blocks, 1), 1);
  struct Turn {
    double pass;  // of the middle of the next block, in units of its weight
    std::size_t part;
    std::int64_t left;  // tasks of its share
    bool operator>(const Turn& other) const {
      return pass != other.pass ? pass > other.pass : part > other.part;
    }
  };
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  double weight_so_far = 0;
  std::int64_t tasks_so_far = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    weight_so_far += weights[i];
    const bool last = weight_so_far >= weight_sum * (1 - 1e-12);
    const auto until =
        last ? todo.Size()
             : static_cast<std::int64_t>(
                   static_cast<double>(todo.Size()) * (weight_so_far / weight_sum) + 0.5);
    const std::int64_t share = until - tasks_so_far;
    tasks_so_far = until;
    if (share > 0)
      turns.push({0.5 * static_cast<double>(std::min(block, share)) / weights[i], i, share});
  }
  std::vector<RangeSet> parts(weights.size());
  FrontToBack source(todo);
  while (!source.Done()) {
    Turn turn = turns.top();
    turns.pop();
    std::int64_t tasks = std::min(block, turn.left);
    turn.left -= tasks;
    turn.pass += static_cast<double>(block) / weights[turn.part];
    while (tasks > 0) {
      const IndexRange range = source.Current();
      const TaskIndex end = std::min(range.end, range.begin + tasks);
      tasks -= end - range.begin;
      source.TakeUntil(end, parts[turn.part]);
    }
    if (turn.left > 0) turns.push(turn);
  }
  return parts;
}

std::vector<RangeSet> PartitionEqually(const RangeSet& todo, std::size_t parts) {
  std::vector<RangeSet> shares(parts);
  FrontToBack source(todo);
  const std::int64_t total = todo.Size();
  const auto count = static_cast<std::int64_t>(parts);
  std::int64_t handed_out = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t until = total / count * (i + 1) + std::min(i + 1, total % count);
    while (handed_out < until) {
      const IndexRange range = source.Current();
      const TaskIndex end = std::min(range.end, range.begin + (until - handed_out));
      handed_out += end - range.begin;
      source.TakeUntil(end, shares[static_cast<std::size_t>(i)]);
    }
  }
  return shares;
}

std::vector<IndexRange> PseudoRanks(const std::vector<std::int64_t>& weights) {
  std::vector<IndexRange> ranks(weights.size());
  const bool all_equal =
      std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>()) == weights.end();
  const std::size_t first = all_equal ? 0 : 1;
  std::int64_t next = 0;
  for (std::size_t step = 0; step < weights.size(); ++step) {
    const std::size_t worker = (first + step) % weights.size();
    EVENKEEL_CHECK(weights[worker] >= 0, "a weight is not negative");
    EVENKEEL_CHECK(weights[worker] <= INT64_MAX - next, "the sum of the weights fits into 63 bits");
    ranks[worker] = {next, next + weights[worker]};
    next = ranks[worker].end;
  }
  return ranks;
}

std::vector<std::vector<IndexRange>> InterleavedSplit(const std::vector<std::int64_t>& weights,
                                                      std::int64_t task_count) {
  std::vector<std::vector<IndexRange>> tasks(weights.size());
  if (task_count <= 0) return tasks;

  const std::vector<IndexRange> ranks = PseudoRanks(weights);
  std::int64_t cycle = 0;
  for (const IndexRange rank : ranks) cycle += rank.Size();
  EVENKEEL_CHECK(cycle > 0, "some worker has a weight");

  for (std::size_t worker = 0; worker < ranks.size(); ++worker) {
    const IndexRange rank = ranks[worker];
    if (rank.Empty()) continue;
    if (rank.Size() == cycle) {
      tasks[worker].push_back({0, task_count});
      continue;
    }
    // Counted down from the end, so that no sum can leave 63 bits.
    for (std::int64_t start = 0;; start += cycle) {
      const std::int64_t left = task_count - start;
      if (rank.begin < left) {
        tasks[worker].push_back(
            {start + rank.begin, rank.end < left ? start + rank.end : task_count});
      }
      if (left <= cycle) break;
    }
  }
  return tasks;
}

}  // namespace evenkeel::scheduling
