#include "core/scheduling/techniques/factoring_chunks.h"

#include <cmath>
#include <utility>

namespace evenkeel::scheduling {
namespace {

// FAC, factoring (S. Flynn Hummel, E. Schonberg and L. E. Flynn, "Factoring: a method for
// scheduling parallel loops", CACM 35(8), 1992): batches of P equal chunks c_j = ceil(R_j / (x_j
// P)) with
//   b_j = P sigma / (2 mu sqrt(R_j)),
//   x_0 = 1 + b_0^2 + b_0 sqrt(b_0^2 + 2),  x_j = 2 + b_j^2 + b_j sqrt(b_j^2 + 4).
// mu and sigma are those measured so far; before there are any x is 2, as the authors advise.
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

// FAC2, factoring where nothing is known of the tasks (Flynn Hummel, Schonberg and Flynn 1992):
// batches of P equal chunks ceil(R_j / (2 P)), so that each batch is half of what remains.
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

// WF, weighted factoring (S. Flynn Hummel, J. Schmidt, R. N. Uma and J. Wein, "Load-sharing in
// heterogeneous systems via weighted factoring", SPAA 1996): in batches of P chunks worker i gets
// w_i ceil(R_j / (2 P)), with weights as told.
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

ChunkRulePtr MakeFactoring() { return std::make_unique<Factoring>(); }
ChunkRulePtr MakePracticalFactoring() { return std::make_unique<PracticalFactoring>(); }
ChunkRulePtr MakeWeightedFactoring() { return std::make_unique<WeightedFactoring>(); }

}  // namespace evenkeel::scheduling
