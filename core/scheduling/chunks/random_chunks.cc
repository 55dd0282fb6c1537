// RAND: each size from N / (100 P) to N / (2 P) is as likely (F. M. Ciorba, C. Iwainsky and P.
// Buder, "OpenMP loop scheduling revisited: making a case for more schedules", IWOMP 2018).
#include <algorithm>

#include "core/base/rng.h"
#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {
namespace {

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

ChunkRulePtr MakeRandomChunks(std::uint64_t seed) { return std::make_unique<RandomChunks>(seed); }

}  // namespace evenkeel::scheduling
