// SS, pure self-scheduling: one task at a time (P. Tang and P.-C. Yew, "Processor self-scheduling
// for multiple-nested parallel loops", ICPP 1986).
#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {
namespace {

class SelfScheduling final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState&, WorkerId, std::int64_t) override { return 1; }
};

}  // namespace

ChunkRulePtr MakeSelfScheduling() { return std::make_unique<SelfScheduling>(); }

}  // namespace evenkeel::scheduling
