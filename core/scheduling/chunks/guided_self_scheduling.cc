// GSS, guided self-scheduling: ceil(R / P) (C. D. Polychronopoulos and D. J. Kuck, "Guided
// self-scheduling: a practical scheduling scheme for parallel supercomputers", IEEE Trans. Comput.
// C-36(12), 1987). Some implementations round down instead.
#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {
namespace {

class GuidedSelfScheduling final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId, std::int64_t remaining) override {
    return CeilDivide(remaining, loop.Workers());
  }
};

}  // namespace

ChunkRulePtr MakeGuidedSelfScheduling() { return std::make_unique<GuidedSelfScheduling>(); }

}  // namespace evenkeel::scheduling
