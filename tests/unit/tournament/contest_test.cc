#include "bench/tournament/contest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bench/tournament/draw.h"
#include "bench/tournament/league.h"
#include "bench/tournament/players.h"

namespace evenkeel::tournament {
namespace {

TEST(Regret, IsTheRatioOfTheSums) {
  const Estimate regret = Regret({2, 4, 6}, {2, 2, 2});
  EXPECT_DOUBLE_EQ(regret.mean, 1.0);
  // Residuals -2, 0, 2: variance 4, of the mean 4/3, over a mean of 2.
  EXPECT_DOUBLE_EQ(regret.standard_error, std::sqrt(4.0 / 3.0) / 2.0);
  EXPECT_EQ(regret.values, 3);
}

TEST(Regret, OfOnePairIsNotKnown) {
  EXPECT_TRUE(std::isinf(Regret({1}, {1}).standard_error));
  EXPECT_EQ(Regret({}, {}).values, 0);
}

/// Players whose results follow from name and seed.
struct Table {
  std::map<std::string, std::function<double(std::int64_t)>> players;
  std::map<std::string, std::set<std::int64_t>> seeds;

  ContestResult Play(const ContestOptions& options = {}) {
    std::vector<std::string> rivals;
    for (const auto& [name, play] : players) {
      if (name != "ours") rivals.push_back(name);
    }
    return Contest(options,
                   [this](const std::string& name, std::int64_t seed) {
                     EXPECT_TRUE(seeds[name].insert(seed).second) << name << " plays twice";
                     return players.at(name)(seed);
                   })
        .Run("ours", rivals);
  }
};

std::function<double(std::int64_t)> Always(double value) {
  return [value](std::int64_t) { return value; };
}

TEST(ContestTest, TheBestOfTheRaceIsTheRival) {
  Table table{{{"ours", Always(1.1)}, {"good", Always(1.0)}, {"bad", Always(1.2)}}, {}};
  const ContestResult result = table.Play();
  EXPECT_EQ(result.rival, "good");
  EXPECT_NEAR(result.regret.mean, 0.1, 1e-12);
  EXPECT_NEAR(result.race_regret.at("bad"), 0.2, 1e-12);
  EXPECT_NEAR(result.race_regret.at("ours"), 0.1, 1e-12);
  EXPECT_NEAR(result.over_bound, 1.1, 1e-12);
}

TEST(ContestTest, TheRaceDoesNotCountForTheRegret) {
  const auto lucky = [](std::int64_t seed) { return seed < Contest::kFirstPair ? 0.5 : 1.3; };
  Table table{{{"ours", Always(1.0)}, {"lucky", lucky}, {"steady", Always(0.9)}}, {}};
  const ContestResult result = table.Play();
  EXPECT_EQ(result.rival, "lucky");
  EXPECT_LT(result.regret.mean, 0) << "the rival is met on other seeds";
}

TEST(ContestTest, WeakRivalsPlayOneRound) {
  Table table{{{"ours", Always(1.0)}, {"good", Always(1.0)}, {"elimination_ratio", Always(9)}}, {}};
  (void)table.Play();
  EXPECT_EQ(table.seeds["elimination_ratio"].size(), 2U);
}

TEST(ContestTest, PairsAreAddedUntilTheRegretIsKnown) {
  const auto noisy = [](std::int64_t seed) { return seed % 2 == 0 ? 1.0 : 1.1; };
  Table table{{{"ours", noisy}, {"other", Always(1.0)}}, {}};
  const ContestResult result = table.Play();
  EXPECT_LT(result.regret.standard_error, 0.005);
  EXPECT_NEAR(result.regret.mean, 0.05, 0.005);
  EXPECT_EQ(result.regret.values, 101) << "0.05 / sqrt(101) is below 0.005";
}

TEST(ContestTest, TheLeadOfTheContenderNeedNotBeKnown) {
  const auto noisy = [](std::int64_t seed) { return seed % 2 == 0 ? 1.0 : 1.2; };
  Table table{{{"ours", noisy}, {"other", Always(2.0)}}, {}};
  EXPECT_EQ(table.Play().regret.values, 8);
  Table worse{{{"ours", noisy}, {"other", Always(0.5)}}, {}};
  EXPECT_GT(worse.Play().regret.values, 100);
}

TEST(ContestTest, TheNumberOfPairsIsBounded) {
  const auto wild = [](std::int64_t seed) { return seed % 2 == 0 ? 1.0 : 9.0; };
  Table table{{{"ours", wild}, {"other", Always(1.0)}}, {}};
  EXPECT_EQ(table.Play().regret.values, 200);
}

Played PlayedWith(double regret, double error, const std::string& weights) {
  Played played;
  played.draw.dimensions = {{"weights", weights}};
  played.result.regret = {regret, error, 10};
  return played;
}

TEST(League, CountsWithTheStandardError) {
  const Played one = PlayedWith(0.012, 0.004, "Equal");
  const Played other = PlayedWith(-0.02, 0.001, "Inverse");
  const Standing standing = StandingOf({&one, &other});
  EXPECT_EQ(standing.draws, 2);
  EXPECT_DOUBLE_EQ(standing.within_1, 1.0) << "1.2 % - 0.4 %";
  EXPECT_DOUBLE_EQ(standing.no_worse, 0.5);
  EXPECT_DOUBLE_EQ(standing.worst, 0.012 - 2 * 0.004);
  EXPECT_DOUBLE_EQ(standing.mean, -0.004);
}

TEST(League, TheLargestRegretsComeFirst) {
  const std::vector<Played> played{PlayedWith(0.01, 0, "Equal"), PlayedWith(0.5, 0.2, "Equal"),
                                   PlayedWith(0.2, 0, "Equal")};
  const auto worst = LargestRegrets(played, 2);
  ASSERT_EQ(worst.size(), 2U);
  EXPECT_EQ(worst[0], &played[2]) << "less two standard errors";
  EXPECT_EQ(worst[1], &played[1]);
}

TEST(DrawScenarioTest, EveryDrawIsAScenario) {
  const auto players = AllPlayers();
  std::map<std::string, std::set<std::string>> values;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    for (const Field field : {Field::kPlain, Field::kFull}) {
      const Draw draw = DrawScenario(seed, field);
      const auto playground = ScenarioPlayer::Create(draw.yaml, players);
      ASSERT_TRUE(playground) << playground.error().message << "\n" << draw.yaml;
      EXPECT_EQ(draw.yaml, DrawScenario(seed, field).yaml);
      for (const auto& [name, value] : draw.dimensions) values[name].insert(value);
    }
  }
  EXPECT_EQ(values["tasks per node"].size(), 5U);
  EXPECT_EQ(values["costs"].size(), 9U);
  EXPECT_EQ(values["weights"].size(), 3U);
  for (const char* rare : {"death", "slow-down", "join", "links", "arrivals"}) {
    EXPECT_EQ(values[rare].size(), 2U) << rare;
  }
}

TEST(DrawScenarioTest, ANewDimensionDoesNotChangeTheOthers) {
  const Draw plain = DrawScenario(7, Field::kPlain);
  const Draw full = DrawScenario(7, Field::kFull);
  for (const char* name : {"nodes", "tasks per node", "largest speed", "weights", "latency, ms"}) {
    EXPECT_EQ(plain.Value(name), full.Value(name)) << name;
  }
}

}  // namespace
}  // namespace evenkeel::tournament
