// AWF (I. Banicescu, V. Velusamy and J. Devaprasad, "On the scalability of dynamic scheduling
// scientific applications with adaptive weighted factoring", Cluster Computing 6(3), 2003) changes
// the weights after each time step of an application; a job has none, so each of `steps` equal
// parts of its tasks counts as one, without a barrier between them. Its variants (Carino and
// Banicescu 2008) change them with each batch (AWF-B) or with each chunk (AWF-C); AWF-D and AWF-E
// do the same with times in which scheduling and communication count.
#include <algorithm>

#include "core/scheduling/chunks/batch.h"
#include "core/scheduling/chunks/chunk_rule.h"
#include "core/scheduling/chunks/weighted_chunk.h"

namespace evenkeel::scheduling {
namespace {

double WeightOf(const std::vector<double>& weights, WorkerId worker) {
  return worker.value < weights.size() ? weights[worker.value] : 1;
}

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

}  // namespace

ChunkRulePtr MakeSteppedWeightedFactoring(std::int64_t steps) {
  return std::make_unique<SteppedWeightedFactoring>(steps);
}

ChunkRulePtr MakeBatchWeightedFactoring(WeighedTime time) {
  return std::make_unique<BatchWeightedFactoring>(time);
}

ChunkRulePtr MakeChunkWeightedFactoring(WeighedTime time) {
  return std::make_unique<ChunkWeightedFactoring>(time);
}

}  // namespace evenkeel::scheduling
