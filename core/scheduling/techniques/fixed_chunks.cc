#include "core/scheduling/techniques/fixed_chunks.h"

#include <algorithm>
#include <cmath>

#include "core/base/portable_math.h"
#include "core/base/rng.h"

namespace evenkeel::scheduling {
namespace {

// STATIC: ceil(N / P) for each, once.
class StaticChunking final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId, std::int64_t) override {
    return CeilDivide(loop.Tasks(), loop.Workers());
  }
};

// SS, pure self-scheduling: one task at a time (P. Tang and P.-C. Yew, "Processor self-scheduling
// for multiple-nested parallel loops", ICPP 1986).
class SelfScheduling final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState&, WorkerId, std::int64_t) override { return 1; }
};

// mFSC: a fixed size that needs neither h nor sigma and gives about as many chunks as factoring:
//   c = floor(0.55 + t ln 2 / ln t), t = ceil(N / P)
// (I. Banicescu, F. M. Ciorba and S. Srivastava, "Performance optimization of scientific
// applications using an autonomic computing approach", Scalable Computing, 2013).
class ModifiedFixedSizeChunking final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId, std::int64_t) override {
    const std::int64_t each = CeilDivide(loop.Tasks(), loop.Workers());
    if (each <= 2) return 1;
    const auto t = static_cast<double>(each);
    return static_cast<std::int64_t>(std::floor(0.55 + t * PortableLog(2) / PortableLog(t)));
  }
};

// FSC, fixed-size chunking (C. P. Kruskal and A. Weiss, "Allocating independent subtasks on
// parallel processors", IEEE Trans. Softw. Eng. SE-11(10), 1985):
//   c = ceil((sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3)).
// The formula wants sigma beforehand. Here it is what was measured so far; before that, the size is
// that of mFSC. Without any spread, or for a single worker, c is ceil(N / P).
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

// GSS, guided self-scheduling: ceil(R / P) (C. D. Polychronopoulos and D. J. Kuck, "Guided
// self-scheduling: a practical scheduling scheme for parallel supercomputers", IEEE Trans. Comput.
// C-36(12), 1987). Some implementations round down instead.
class GuidedSelfScheduling final : public ChunkRule {
 public:
  std::int64_t Next(const LoopState& loop, WorkerId, std::int64_t remaining) override {
    return CeilDivide(remaining, loop.Workers());
  }
};

// TSS, trapezoid self-scheduling (T. H. Tzen and L. M. Ni, "Trapezoid self-scheduling: a practical
// scheduling scheme for parallel compilers", IEEE Trans. Parallel Distrib. Syst. 4(1), 1993): from
// f = ceil(N / 2P) down to l = 1 in n = ceil(2N / (f + l)) chunks, each by d = (f - l) / (n - 1)
// smaller than the one before.
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

// RAND: each size from N / (100 P) to N / (2 P) is as likely (F. M. Ciorba, C. Iwainsky and P.
// Buder, "OpenMP loop scheduling revisited: making a case for more schedules", IWOMP 2018).
class RandomChunks final : public ChunkRule {
 public:
  explicit RandomChunks(std::uint64_t seed) : rng_(seed) {}

  std::int64_t Next(const LoopState& loop, WorkerId, std::int64_t) override {
    const std::int64_t least = std::max<std::int64_t>(loop.Tasks() / (100 * loop.Workers()), 1);
    return rng_.Between(least, std::max(loop.Tasks() / (2 * loop.Workers()), least));
  }

 private:
  Rng rng_;
};

}  // namespace

ChunkRulePtr MakeStaticChunking() { return std::make_unique<StaticChunking>(); }
ChunkRulePtr MakeSelfScheduling() { return std::make_unique<SelfScheduling>(); }
ChunkRulePtr MakeModifiedFixedSizeChunking() {
  return std::make_unique<ModifiedFixedSizeChunking>();
}
ChunkRulePtr MakeFixedSizeChunking() { return std::make_unique<FixedSizeChunking>(); }
ChunkRulePtr MakeGuidedSelfScheduling() { return std::make_unique<GuidedSelfScheduling>(); }
ChunkRulePtr MakeTrapezoidSelfScheduling() { return std::make_unique<TrapezoidSelfScheduling>(); }
ChunkRulePtr MakeRandomChunks(std::uint64_t seed) { return std::make_unique<RandomChunks>(seed); }

}  // namespace evenkeel::scheduling
