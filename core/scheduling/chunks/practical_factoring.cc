// FAC2, factoring where nothing is known of the tasks (Flynn Hummel, Schonberg and Flynn 1992):
// batches of P equal chunks ceil(R_j / (2 P)), so that each batch is half of what remains.
#include "core/scheduling/chunks/batch.h"
#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {
namespace {

class PracticalFactoring final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId, std::int64_t remaining) override {
    if (batch_.Begins(loop)) chunk_ = CeilDivide(remaining, 2 * loop.Workers());
    return chunk_;
  }

 private:
  Batch batch_;
  std::int64_t chunk_ = 1;
};

}  // namespace

ChunkRulePtr MakePracticalFactoring() { return std::make_unique<PracticalFactoring>(); }

}  // namespace evenkeel::scheduling
