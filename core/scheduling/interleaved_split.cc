#include "core/scheduling/interleaved_split.h"
namespace evenkeel::scheduling {
std::vector<std::vector<model::IndexRange>> InterleavedSplit(const std::vector<std::int64_t>& weights, std::int64_t n) {
  std::vector<std::vector<model::IndexRange>> out(weights.size());
  std::int64_t total = 0;
  std::vector<std::int64_t> start(weights.size());
  for (std::size_t i = 1; i < weights.size(); ++i) { start[i] = total; total += weights[i]; }
  start[0] = total; total += weights[0];
  for (std::size_t i = 0; i < weights.size(); ++i)
    for (std::int64_t p = start[i]; p < n && weights[i] > 0; p += total) out[i].push_back({p, std::min(n, p + weights[i])});
  return out;
}
}
