#include "core/scheduling/chunks/weighted_chunk.h"

namespace evenkeel::scheduling {
namespace {

/// 1 / pi of a worker; 0 if it was not measured.
double Speed(const ChunkHistory& chunks, WeighedTime time) {
  const double seconds = time == WeighedTime::kBusy ? chunks.busy_seconds : chunks.all_seconds;
  return seconds > 0 ? chunks.tasks / seconds : 0;
}

}  // namespace

std::vector<double> AdaptiveWeights(const LoopState& loop, WeighedTime time) {
  std::vector<double> speeds(loop.Places());
  double measured = 0;
  double told = 0;  // weight of those that were measured
  for (std::uint32_t i = 0; i < speeds.size(); ++i) {
    if (!loop.Alive({i})) continue;
    speeds[i] = Speed(loop.Chunks({i}), time);
    if (speeds[i] <= 0) continue;
    measured += speeds[i];
    told += loop.Weight({i});
  }
  const double worth = told > 0 && measured > 0 ? measured / told : 1;
  double sum = 0;
  for (std::uint32_t i = 0; i < speeds.size(); ++i) {
    if (!loop.Alive({i})) continue;
    if (speeds[i] <= 0) speeds[i] = worth * loop.Weight({i});
    sum += speeds[i];
  }
  for (double& speed : speeds) speed *= static_cast<double>(loop.Workers()) / sum;
  return speeds;
}

}  // namespace evenkeel::scheduling
