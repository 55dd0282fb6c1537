#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <vector>

#include "bench/tournament/league.h"
#include "bench/tournament/players.h"

// A fixed sample of the tournament of docs/experiments.md, with few seeds and the rivals that win
// most often. Draws, rivals and seeds are the same everywhere, so that results are, too.

namespace evenkeel::tournament {
namespace {

constexpr std::uint64_t kFirstDraw = 900;
constexpr std::uint64_t kDraws = 60;
const std::vector<std::string> kRivals{"SS+R", "AF+R", "AWF-C+R", "FAC2+R", "FSC+R"};

Played Play(std::uint64_t seed) {
  Played played;
  played.draw = DrawScenario(seed, Field::kFull);
  auto playground = ScenarioPlayer::Create(played.draw.yaml, AllPlayers());
  EXPECT_TRUE(playground) << played.draw.yaml;
  ContestOptions options;
  options.rounds = {1, 2};
  options.kept = {3, 1};
  options.min_pairs = 3;
  options.max_pairs = played.draw.tasks < 2000 ? 12 : 3;
  Contest contest(options, [&](const std::string& player, std::int64_t run) {
    return playground->Measure(player, run);
  });
  played.result = contest.Run("TailStealing", kRivals);
  return played;
}

TEST(TournamentSample, TailStealingIsNearTheBestRivalOnSixtyDraws) {
  std::vector<Played> played;
  for (std::uint64_t i = 0; i < kDraws; ++i) played.push_back(Play(kFirstDraw + i));
  std::vector<const Played*> all;
  for (const Played& one : played) all.push_back(&one);
  const Standing standing = StandingOf(all);
  std::ostringstream worst;
  for (const Played* one : LargestRegrets(played, 5)) {
    worst << "draw " << one->draw.seed << ": regret " << one->result.regret.mean << " +- "
          << one->result.regret.standard_error << " against " << one->result.rival << "\n";
  }
  std::cout << worst.str();
  EXPECT_GE(standing.within_1, 0.9) << worst.str();
  EXPECT_GE(standing.no_worse, 0.75) << worst.str();
  EXPECT_LE(standing.worst, 0.08) << LargestRegrets(played, 1).front()->draw.yaml;
  EXPECT_LT(standing.mean, 0);
}

}  // namespace
}  // namespace evenkeel::tournament
