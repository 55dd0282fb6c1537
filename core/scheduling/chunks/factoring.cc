// FAC, factoring (S. Flynn Hummel, E. Schonberg and L. E. Flynn, "Factoring: a method for
// scheduling parallel loops", CACM 35(8), 1992): batches of P equal chunks c_j = ceil(R_j / (x_j
// P)) with
//   b_j = P sigma / (2 mu sqrt(R_j)),
//   x_0 = 1 + b_0^2 + b_0 sqrt(b_0^2 + 2),  x_j = 2 + b_j^2 + b_j sqrt(b_j^2 + 4).
// mu and sigma are those measured so far; before there are any x is 2, as the authors advise.
#include <cmath>
#include <utility>

#include "core/scheduling/chunks/batch.h"
#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {
namespace {

class Factoring final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId, std::int64_t remaining) override {
    if (batch_.Begins(loop)) chunk_ = ChunkOf(loop, remaining);
    return chunk_;
  }

 private:
  std::int64_t ChunkOf(const LoopState& loop, std::int64_t remaining) {
    const bool first = std::exchange(first_, false);
    const TaskTimes& times = loop.Times();
    const auto p = static_cast<double>(loop.Workers());
    const auto r = static_cast<double>(remaining);
    double x = 2;
    if (times.Several() && times.Mean() > 0) {
      const double b = p * std::sqrt(times.Variance()) / (2 * times.Mean() * std::sqrt(r));
      x = first ? 1 + b * b + b * std::sqrt(b * b + 2) : 2 + b * b + b * std::sqrt(b * b + 4);
    }
    return static_cast<std::int64_t>(std::ceil(r / (x * p)));
  }

  Batch batch_;
  bool first_ = true;
  std::int64_t chunk_ = 1;
};

}  // namespace

ChunkRulePtr MakeFactoring() { return std::make_unique<Factoring>(); }

}  // namespace evenkeel::scheduling
