#include "core/scheduling/interleaved_split.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "core/base/check.h"

namespace evenkeel::scheduling {

using model::IndexRange;

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
