// WF, weighted factoring (S. Flynn Hummel, J. Schmidt, R. N. Uma and J. Wein, "Load-sharing in
// heterogeneous systems via weighted factoring", SPAA 1996): in batches of P chunks worker i gets
// w_i ceil(R_j / (2 P)), with weights as told.
#include "core/scheduling/chunks/batch.h"
#include "core/scheduling/chunks/chunk_rule.h"
#include "core/scheduling/chunks/weighted_chunk.h"

namespace evenkeel::scheduling {
namespace {

class WeightedFactoring final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId worker, std::int64_t remaining) override {
    if (batch_.Begins(loop)) chunk_ = CeilDivide(remaining, 2 * loop.Workers());
    return WeightedChunk(loop.Weight(worker), chunk_);
  }

 private:
  Batch batch_;
  std::int64_t chunk_ = 1;
};

}  // namespace

ChunkRulePtr MakeWeightedFactoring() { return std::make_unique<WeightedFactoring>(); }

}  // namespace evenkeel::scheduling
