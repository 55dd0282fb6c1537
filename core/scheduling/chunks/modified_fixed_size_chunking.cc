// mFSC: a fixed size that needs neither h nor sigma and gives about as many chunks as factoring:
//   c = floor(0.55 + t ln 2 / ln t), t = ceil(N / P)
// (I. Banicescu, F. M. Ciorba and S. Srivastava, "Performance optimization of scientific
// applications using an autonomic computing approach", Scalable Computing, 2013).
#include <algorithm>
#include <cmath>

#include "core/base/portable_math.h"
#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {
namespace {

class ModifiedFixedSizeChunking final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId, std::int64_t) override {
    const std::int64_t each = CeilDivide(loop.Tasks(), loop.Workers());
    if (each <= 2) return 1;
    const auto t = static_cast<double>(each);
    return static_cast<std::int64_t>(std::floor(0.55 + t * PortableLog(2) / PortableLog(t)));
  }
};

}  // namespace

ChunkRulePtr MakeModifiedFixedSizeChunking() {
  return std::make_unique<ModifiedFixedSizeChunking>();
}

}  // namespace evenkeel::scheduling
