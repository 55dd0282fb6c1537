// AF, adaptive factoring (I. Banicescu and Z. Liu, "Adaptive factoring: a dynamic scheduling method
// tuned to the rate of weight changes", HPC Symposium 2000):
//   D = sum_i sigma_i^2 / mu_i,  T = 1 / sum_i (1 / mu_i),
//   c_i = (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_i).
// A widespread implementation has sigma_i where the paper has sigma_i^2; this is the paper's. A
// first chunk of at most 10 tasks is there to be measured; of who is not yet, the means of the
// others count.
#include <algorithm>
#include <cmath>

#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {
namespace {

constexpr std::int64_t kFirstChunk = 10;

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

ChunkRulePtr MakeAdaptiveFactoring() { return std::make_unique<AdaptiveFactoring>(); }

}  // namespace evenkeel::scheduling
