#include "core/scheduling/strategies/iteration_formulas.h"

#include <gtest/gtest.h>

namespace evenkeel::scheduling {
namespace {

// Three processes that were sent 10 units each: t_exe 5, 20 and 35 s, of which they calculated 4,
// 10 and 34 s.
const std::vector<IterationTimes> kFirstRound{{10, 5, 4}, {10, 20, 10}, {10, 35, 34}};

TEST(IterationFormulas, NextUnitsAreTheMeanTimeOverWhatAUnitTakes) {
  // Mean t_exe = 60 / 3 = 20. t_calc_unit + t_comm_unit: 0.4 + 0.1, 1 + 1, 3.4 + 0.1.
  const auto units = NextUnits(kFirstRound, UnitTime::kWithCommunication);
  ASSERT_EQ(units.size(), 3u);
  EXPECT_DOUBLE_EQ(units[0], 40);
  EXPECT_DOUBLE_EQ(units[1], 10);
  EXPECT_DOUBLE_EQ(units[2], 20 / 3.5);
}

TEST(IterationFormulas, TheEarlierMechanismLooksAtCalculationAlone) {
  // Mean t_calc = 48 / 3 = 16; t_calc_unit: 0.4, 1, 3.4.
  const auto units = NextUnits(kFirstRound, UnitTime::kCalculationOnly);
  EXPECT_DOUBLE_EQ(units[0], 40);
  EXPECT_DOUBLE_EQ(units[1], 16);
  EXPECT_DOUBLE_EQ(units[2], 16 / 3.4);
}

TEST(IterationFormulas, WhoTakesTheSameForAUnitGetsTheSame) {
  const auto units = NextUnits({{4, 8, 8}, {12, 24, 1}}, UnitTime::kWithCommunication);
  EXPECT_DOUBLE_EQ(units[0], 8);
  EXPECT_DOUBLE_EQ(units[1], 8);
}

TEST(IterationFormulas, ABalancedIterationIsRepeated) {
  const auto units =
      NextUnits({{40, 20, 3}, {10, 20, 20}, {5, 20, 7}}, UnitTime::kWithCommunication);
  EXPECT_DOUBLE_EQ(units[0], 40);
  EXPECT_DOUBLE_EQ(units[1], 10);
  EXPECT_DOUBLE_EQ(units[2], 5);
}

TEST(IterationFormulas, PerformanceFactorIsUnitsASecond) {
  EXPECT_DOUBLE_EQ(PerformanceFactor(kFirstRound[0], UnitTime::kWithCommunication), 2);
  EXPECT_DOUBLE_EQ(PerformanceFactor(kFirstRound[1], UnitTime::kWithCommunication), 0.5);
  EXPECT_DOUBLE_EQ(PerformanceFactor(kFirstRound[1], UnitTime::kCalculationOnly), 1);
}

TEST(IterationFormulas, NoTimeAtAllGivesFiniteNumbers) {
  const auto units = NextUnits({{1, 0, 0}, {1, 2, 0}}, UnitTime::kWithCommunication);
  EXPECT_GT(units[0], 1e8);
  EXPECT_LT(units[0], 1e10);
  EXPECT_DOUBLE_EQ(NextUnits({{3, 5, 0}, {3, 7, 0}}, UnitTime::kCalculationOnly)[1], 3);
  EXPECT_TRUE(NextUnits({}, UnitTime::kWithCommunication).empty());
}

TEST(IterationFormulas, TheRestIsSharedOutInProportion) {
  using Units = std::vector<std::int64_t>;
  EXPECT_EQ(ScaledTo(28, {40, 10, 6}), (Units{20, 5, 3}));
  EXPECT_EQ(ScaledTo(1, {40, 10, 6}), (Units{1, 0, 0}));
  EXPECT_EQ(ScaledTo(2, {10, 10, 10}), (Units{1, 1, 0}));
  EXPECT_EQ(ScaledTo(30, {10, 10, 10}), (Units{10, 10, 10}));
  for (std::int64_t rest = 0; rest <= 56; ++rest) {
    const Units scaled = ScaledTo(rest, {40, 10, 6});
    EXPECT_EQ(scaled[0] + scaled[1] + scaled[2], rest);
    EXPECT_LE(scaled[0], 40);
    EXPECT_LE(scaled[1], 10);
    EXPECT_LE(scaled[2], 6);
  }
}

}  // namespace
}  // namespace evenkeel::scheduling
