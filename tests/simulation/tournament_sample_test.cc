#include <gtest/gtest.h>

#include <vector>

#include "bench/tournament/league.h"
#include "bench/tournament/players.h"

// A fixed sample of the tournament of docs/experiments.md, with few seeds and the rivals that win
// most often. Draws, rivals and seeds are the same everywhere, so that results are, too.

namespace evenkeel::tournament {
namespace {

constexpr std::uint64_t kFirstDraw = 900;
constexpr std::uint64_t kDrawsPerShard = 10;
const std::vector<std::string> kRivals{"SS+R", "AF+R", "AWF-C+R", "FAC2+R", "FSC+R"};

Played Play(std::uint64_t seed) {
  Played played;
  played.draw = DrawScenario(seed, Field::kFull);
  auto playground = Playground::Create(played.draw.yaml, AllPlayers());
  EXPECT_TRUE(playground) << played.draw.yaml;
  ContestOptions options;
  options.rounds = {1, 2};
  options.kept = {3, 1};
  options.least_pairs = 3;
  options.most_pairs = played.draw.tasks < 2000 ? 12 : 3;
  Contest contest(options, [&](const std::string& player, std::int64_t run) {
    return playground->Measure(player, run);
  });
  played.result = contest.Run("TailStealing", kRivals);
  return played;
}

class TournamentSample : public testing::TestWithParam<std::uint64_t> {};

TEST_P(TournamentSample, TailStealingIsNearTheBestRival) {
  std::vector<Played> played;
  for (std::uint64_t i = 0; i < kDrawsPerShard; ++i) {
    played.push_back(Play(kFirstDraw + GetParam() * kDrawsPerShard + i));
  }
  std::vector<const Played*> all;
  for (const Played& one : played) all.push_back(&one);
  const Standing standing = StandingOf(all);
  EXPECT_GE(standing.within_1, 0.9) << "of the draws, with one standard error";
  EXPECT_LE(standing.worst, 0.08) << Worst(played, 1).front()->draw.yaml;
  EXPECT_LT(standing.mean, 0);
}

INSTANTIATE_TEST_SUITE_P(Draws, TournamentSample, testing::Range<std::uint64_t>(0, 6));

}  // namespace
}  // namespace evenkeel::tournament
