#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/worlds.h"

namespace evenkeel {
namespace {

using simulator::World;
using simulator::WorldConfig;

struct Case {
  bool known;
  bool upside_down;
  model::StrategyName strategy;
};

double Median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void Show(const char* name, const Case& c, bool speculation = true) {
  std::vector<double> eff, best;
  double wasted = 0, moves = 0, messages = 0, copies = 0, recalls=0;
  constexpr int kSeeds = 40;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    WorldConfig world = support::SixteenWorkers(static_cast<std::uint64_t>(seed), c.known, c.upside_down);
    world.job.balancing.strategy = c.strategy;
    world.job.balancing.speculation = speculation;
    world.check_invariants = seed < 4;
    const double bound = support::FluidBound(world);
    const double greedy = support::GreedyBest(world);
    const auto outcome = World(world).Run();
    ASSERT_EQ(outcome.state, model::JobState::kComplete) << outcome.reason << seed;
    eff.push_back(bound / ToSeconds(outcome.makespan));
    best.push_back(greedy / ToSeconds(outcome.makespan));
    wasted += outcome.progress.wasted_seconds / kSeeds;
    moves += double(outcome.progress.moves.reserved) / kSeeds;
    recalls += double(outcome.progress.moves.leased) / kSeeds;
    copies += double(outcome.progress.moves.copies) / kSeeds;
    messages += double(outcome.progress.messages) / kSeeds;
  }
  std::printf("%-28s eff median %.4f min %.4f  x best %.4f min %.4f wasted %.2f moves %.1f recalls %.1f copies %.1f msgs %.0f\n", name,
              Median(eff), *std::min_element(eff.begin(), eff.end()), Median(best), *std::min_element(best.begin(), best.end()), wasted, moves, recalls, copies, messages);
}

TEST(Efficiency, Sixteen) {
  using S = model::StrategyName;
  Show("unknown", {false, false, S::kTailStealing});
  Show("unknown no copies", {false, false, S::kTailStealing}, false);
  Show("known", {true, false, S::kTailStealing});
  Show("unknown upside down", {false, true, S::kTailStealing});
  Show("known upside down", {true, true, S::kTailStealing});
  Show("MS", {false, false, S::kMasterSlave});
  Show("mMS", {false, false, S::kModifiedMasterSlave});
  Show("DD", {false, false, S::kDomainDecomposition});
  Show("Interleaved", {false, false, S::kInterleaved});
}

}  // namespace
}  // namespace evenkeel
