// FSC, fixed-size chunking (C. P. Kruskal and A. Weiss, "Allocating independent subtasks on
// parallel processors", IEEE Trans. Softw. Eng. SE-11(10), 1985):
//   c = ceil((sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3)).
// The formula wants sigma beforehand. Here it is what was measured so far; before that, the size is
// that of mFSC. Without any spread, or for a single worker, c is ceil(N / P).
#include <algorithm>
#include <cmath>

#include "core/base/portable_math.h"
#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {
namespace {

class FixedSizeChunking final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId worker, std::int64_t remaining) override {
    if (!loop.Times().Several()) return before_->Next(loop, worker, remaining);
    const auto n = static_cast<double>(loop.Tasks());
    const auto p = static_cast<double>(loop.Workers());
    const double sigma = std::sqrt(loop.Times().Variance());
    const std::int64_t most = CeilDivide(loop.Tasks(), loop.Workers());
    const double spread = sigma * p * std::sqrt(PortableLog(p));
    if (spread <= 0) return most;
    const double base = std::sqrt(2.0) * n * loop.DispatchSeconds() / spread;
    if (base <= 0) return 1;
    const double chunk = std::ceil(PortablePower(base, 2.0 / 3));
    return static_cast<std::int64_t>(std::min(chunk, static_cast<double>(most)));
  }

 private:
  ChunkRulePtr before_ = MakeModifiedFixedSizeChunking();
};

}  // namespace

ChunkRulePtr MakeFixedSizeChunking() { return std::make_unique<FixedSizeChunking>(); }

}  // namespace evenkeel::scheduling
