// STATIC: ceil(N / P) for each, once.
#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {
namespace {

class StaticChunking final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId, std::int64_t) override {
    return CeilDivide(loop.Tasks(), loop.Workers());
  }
};

}  // namespace

ChunkRulePtr MakeStaticChunking() { return std::make_unique<StaticChunking>(); }

}  // namespace evenkeel::scheduling
