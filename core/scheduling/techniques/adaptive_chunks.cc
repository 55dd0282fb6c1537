#include "core/scheduling/techniques/adaptive_chunks.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/scheduling/techniques/factoring_chunks.h"

namespace evenkeel::scheduling {
namespace {

/// 1 / pi of a worker; 0 without a measurement.
double Speed(const ChunkHistory& chunks, WeighedTime time) {
  const double seconds = time == WeighedTime::kBusy ? chunks.busy_seconds : chunks.all_seconds;
  return seconds > 0 ? chunks.tasks / seconds : 0;
}

double WeightOf(const std::vector<double>& weights, WorkerId worker) {
  return worker.value < weights.size() ? weights[worker.value] : 1;
}

// AWF (I. Banicescu, V. Velusamy and J. Devaprasad, "On the scalability of dynamic scheduling
// scientific applications with adaptive weighted factoring", Cluster Computing 6(3), 2003) changes
// the weights after each time step of an application; a job has none, so each of `steps` equal
// parts of its tasks counts as one, without a barrier between them. Its variants (Carino and
// Banicescu 2008) change them with each batch (AWF-B) or with each chunk (AWF-C); AWF-D and AWF-E
// do the same with times in which scheduling and communication count.
class SteppedWeightedFactoring final : public ChunkRule {
 public:
  explicit SteppedWeightedFactoring(std::int64_t steps) : steps_(steps) {}

  std::int64_t Next(const LoopState& loop, WorkerId worker, std::int64_t remaining) override {
    if (left_ <= 0) {
      left_ = CeilDivide(loop.Tasks(), steps_);
      weights_ = AdaptiveWeights(loop, WeighedTime::kBusy);
      batch_ = Batch();
    }
    left_ = std::min(left_, remaining);
    if (batch_.Begins(loop)) chunk_ = CeilDivide(left_, 2 * loop.Workers());
    const std::int64_t wanted = WeightedChunk(WeightOf(weights_, worker), chunk_);
    const std::int64_t chunk = std::clamp<std::int64_t>(wanted, 1, left_);
    left_ -= chunk;
    return chunk;
  }

 private:
  std::int64_t steps_;
  std::int64_t left_ = 0;  // of this step
  std::vector<double> weights_;
  Batch batch_;
  std::int64_t chunk_ = 1;
};

class BatchWeightedFactoring final : public ChunkRule {
 public:
  explicit BatchWeightedFactoring(WeighedTime time) : time_(time) {}

  std::int64_t Next(const LoopState& loop, WorkerId worker, std::int64_t remaining) override {
    if (batch_.Begins(loop)) {
      chunk_ = CeilDivide(remaining, 2 * loop.Workers());
      weights_ = AdaptiveWeights(loop, time_);
    }
    return WeightedChunk(WeightOf(weights_, worker), chunk_);
  }

 private:
  WeighedTime time_;
  Batch batch_;
  std::vector<double> weights_;
  std::int64_t chunk_ = 1;
};

class ChunkWeightedFactoring final : public ChunkRule {
 public:
  explicit ChunkWeightedFactoring(WeighedTime time) : time_(time) {}

  std::int64_t Next(const LoopState& loop, WorkerId worker, std::int64_t remaining) override {
    const std::vector<double> weights = AdaptiveWeights(loop, time_);
    return WeightedChunk(WeightOf(weights, worker), CeilDivide(remaining, 2 * loop.Workers()));
  }

 private:
  WeighedTime time_;
};

constexpr std::int64_t kFirstChunk = 10;

// AF, adaptive factoring (I. Banicescu and Z. Liu, "Adaptive factoring: a dynamic scheduling method
// tuned to the rate of weight changes", HPC Symposium 2000):
//   D = sum_i sigma_i^2 / mu_i,  T = 1 / sum_i (1 / mu_i),
//   c_i = (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_i).
// A widespread implementation has sigma_i where the paper has sigma_i^2; this is the paper's. A
// first chunk of at most 10 tasks is there to be measured; of who is not yet, the means of the
// others count.
class AdaptiveFactoring final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId worker, std::int64_t remaining) override {
    const std::int64_t first = std::min(kFirstChunk, CeilDivide(loop.Tasks(), 4 * loop.Workers()));
    if (!loop.Times(worker).Several()) return first;
    double d = 0;
    double speeds = 0;  // sum of 1 / mu
    double measured = 0;
    for (std::uint32_t i = 0; i < loop.Places(); ++i) {
      const TaskTimes& times = loop.Times(WorkerId{i});
      if (!loop.Alive({i}) || !times.Several() || times.Mean() <= 0) continue;
      d += times.Variance() / times.Mean();
      speeds += 1 / times.Mean();
      ++measured;
    }
    const double mu = loop.Times(worker).Mean();
    if (mu <= 0 || measured <= 0) return first;
    const double missing = static_cast<double>(loop.Workers()) / measured;
    d *= missing;
    const double t = 1 / (speeds * missing);
    const auto r = static_cast<double>(remaining);
    const double chunk = (d + 2 * t * r - std::sqrt(d * d + 4 * d * t * r)) / (2 * mu);
    return static_cast<std::int64_t>(std::floor(std::min(chunk, r) + 0.5));
  }
};

}  // namespace

std::vector<double> AdaptiveWeights(const LoopState& loop, WeighedTime time) {
  std::vector<double> speeds(loop.Places());
  double measured = 0;
  double declared = 0;  // weight of those that were measured
  for (std::uint32_t i = 0; i < speeds.size(); ++i) {
    if (!loop.Alive({i})) continue;
    speeds[i] = Speed(loop.Chunks({i}), time);
    if (speeds[i] <= 0) continue;
    measured += speeds[i];
    declared += loop.Weight({i});
  }
  const double scale = declared > 0 && measured > 0 ? measured / declared : 1;
  double sum = 0;
  for (std::uint32_t i = 0; i < speeds.size(); ++i) {
    if (!loop.Alive({i})) continue;
    if (speeds[i] <= 0) speeds[i] = scale * loop.Weight({i});
    sum += speeds[i];
  }
  for (double& speed : speeds) speed *= static_cast<double>(loop.Workers()) / sum;
  return speeds;
}

ChunkRulePtr MakeSteppedWeightedFactoring(std::int64_t steps) {
  return std::make_unique<SteppedWeightedFactoring>(steps);
}

ChunkRulePtr MakeBatchWeightedFactoring(WeighedTime time) {
  return std::make_unique<BatchWeightedFactoring>(time);
}

ChunkRulePtr MakeChunkWeightedFactoring(WeighedTime time) {
  return std::make_unique<ChunkWeightedFactoring>(time);
}
ChunkRulePtr MakeAdaptiveFactoring() { return std::make_unique<AdaptiveFactoring>(); }

}  // namespace evenkeel::scheduling
