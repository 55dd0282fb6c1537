// TSS, trapezoid self-scheduling (T. H. Tzen and L. M. Ni, "Trapezoid self-scheduling: a practical
// scheduling scheme for parallel compilers", IEEE Trans. Parallel Distrib. Syst. 4(1), 1993): from
// f = ceil(N / 2P) down to l = 1 in n = ceil(2N / (f + l)) chunks, each by d = (f - l) / (n - 1)
// smaller than the one before.
#include <cmath>

#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {
namespace {

class TrapezoidSelfScheduling final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId, std::int64_t) override {
    if (first_ == 0) Lay(loop);
    const double size = std::floor(first_ - step_ * static_cast<double>(given_++));
    return size < 1 ? 1 : static_cast<std::int64_t>(size);
  }

 private:
  void Lay(const LoopState& loop) {
    const std::int64_t first = CeilDivide(loop.Tasks(), 2 * loop.Workers());
    const std::int64_t chunks = CeilDivide(2 * loop.Tasks(), first + 1);
    first_ = static_cast<double>(first);
    if (chunks > 1) step_ = (first_ - 1) / static_cast<double>(chunks - 1);
  }

  double first_ = 0;
  double step_ = 0;
  std::int64_t given_ = 0;
};

}  // namespace

ChunkRulePtr MakeTrapezoidSelfScheduling() { return std::make_unique<TrapezoidSelfScheduling>(); }

}  // namespace evenkeel::scheduling
