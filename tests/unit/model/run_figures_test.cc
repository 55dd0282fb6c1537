#include "core/model/run_figures.h"

#include <gtest/gtest.h>

#include <string>

namespace evenkeel::model {
namespace {

struct BoundCase {
  std::string name;
  WorkSize work;
  std::vector<NodeCapacity> nodes;
  std::optional<double> seconds;
};

class LowerBoundTable : public testing::TestWithParam<BoundCase> {};

TEST_P(LowerBoundTable, IsDerivedByHand) {
  const BoundCase& c = GetParam();
  EXPECT_EQ(LowerBoundSeconds(c.work, c.nodes), c.seconds);
}

INSTANTIATE_TEST_SUITE_P(
    RunFigures, LowerBoundTable,
    testing::Values(
        // 12 units by 3 + 1 units/s; the longest task alone takes 6 / 3 = 2 s.
        BoundCase{"WorkOverTheSumOfSpeeds", {12, 6}, {{3, 1}, {1, 1}}, 3.0},
        // 12 / 4 = 3 s, but the longest task takes 12 / 3 = 4 s on the fast node.
        BoundCase{"LongestTaskOnTheFastestNode", {12, 12}, {{3, 1}, {1, 1}}, 4.0},
        // Both nodes do 4 units/s. One task runs on one thread: 4 of the first, 1 of the second.
        BoundCase{"ATaskRunsOnOneThread", {16, 8}, {{4, 4}, {4, 1}}, 2.0},
        BoundCase{"TheFastestThreadIsNotOnTheFastestNode", {16, 9}, {{4, 4}, {3, 1}}, 3.0},
        BoundCase{"OneNode", {10, 1}, {{2, 1}}, 5.0},
        BoundCase{"NodesWithSpeedZeroAddNothing", {10, 1}, {{2, 1}, {0, 8}}, 5.0},
        BoundCase{"UnknownNumberOfThreadsCountsAsOne", {10, 8}, {{2, 0}}, 5.0},
        BoundCase{"NoTasks", {0, 0}, {{2, 1}}, 0.0},
        BoundCase{"NoNodes", {10, 1}, {}, std::nullopt},
        BoundCase{"OnlySpeedsOfZero", {10, 1}, {{0, 1}, {0, 4}}, std::nullopt}),
    [](const auto& one) { return one.param.name; });

// 4 units/s until 1 s, 3 units/s afterwards: the other 6 of 10 units take 2 s.
double SlowsDown(Duration until) {
  const double t = ToSeconds(until);
  return t <= 1 ? 4 * t : 4 + 3 * (t - 1);
}

TEST(LowerBoundOfChangingSpeeds, FollowsTheWorkThatCanBeDone) {
  EXPECT_NEAR(LowerBoundSeconds({10, 1}, SlowsDown, 2).value(), 3, 1e-8);
}

TEST(LowerBoundOfChangingSpeeds, LongestTaskRunsAtTheHighestSpeed) {
  EXPECT_NEAR(LowerBoundSeconds({10, 8}, SlowsDown, 2).value(), 4, 1e-8);
}

TEST(LowerBoundOfChangingSpeeds, IsZeroWithoutWork) {
  EXPECT_EQ(LowerBoundSeconds({0, 0}, SlowsDown, 2), 0);
}

TEST(LowerBoundOfChangingSpeeds, IsUnknownIfTheNodesStopBeforeTheWorkIsDone) {
  const auto ten_units_at_most = [](Duration until) { return std::min(ToSeconds(until), 10.0); };
  EXPECT_EQ(LowerBoundSeconds({11, 1}, ten_units_at_most, 1), std::nullopt);
  EXPECT_NEAR(LowerBoundSeconds({10, 1}, ten_units_at_most, 1).value(), 10, 1e-8);
  EXPECT_EQ(LowerBoundSeconds(
                {10, 1}, [](Duration) { return 0.0; }, 0),
            std::nullopt);
}

TEST(LowerBoundOfChangingSpeeds, EqualsThatOfConstantSpeeds) {
  const WorkSize work{1000, 30};
  const auto constant = [](Duration until) { return 7 * ToSeconds(until); };
  EXPECT_NEAR(LowerBoundSeconds(work, constant, 2).value(),
              LowerBoundSeconds(work, {{2, 1}, {2, 1}, {3, 3}}).value(), 1e-8);
}

TEST(Efficiency, IsTheBoundOverTheMakespan) {
  EXPECT_DOUBLE_EQ(Efficiency(9, 10), 0.9);
  EXPECT_EQ(Efficiency(10, 10), 1);
  EXPECT_EQ(Efficiency(9, 0), 0) << "nothing has run";
  EXPECT_EQ(Efficiency(0, 10), 0) << "no bound is known";
}

TEST(MakespanOverBound, IsTheInverseOfEfficiency) {
  EXPECT_DOUBLE_EQ(MakespanOverBound(10, 8), 1.25);
  EXPECT_EQ(MakespanOverBound(0, 8), 0);
  EXPECT_EQ(MakespanOverBound(10, 0), 0) << "no bound is known";
}

TEST(Utilization, IsBusyTimeOverAvailableTime) {
  EXPECT_DOUBLE_EQ(Utilization(30, 4, 10), 0.75);
  EXPECT_EQ(Utilization(30, 0, 10), 0);
  EXPECT_EQ(Utilization(30, 4, 0), 0);
}

struct ImbalanceCase {
  std::string name;
  std::vector<double> finish_seconds;
  double ratio;
};

class LoadImbalanceTable : public testing::TestWithParam<ImbalanceCase> {};

TEST_P(LoadImbalanceTable, IsDerivedByHand) {
  const ImbalanceCase& c = GetParam();
  EXPECT_DOUBLE_EQ(LoadImbalance(c.finish_seconds), c.ratio);
  EXPECT_DOUBLE_EQ(LoadImbalancePercent(c.finish_seconds), c.ratio * 100);
}

INSTANTIATE_TEST_SUITE_P(
    RunFigures, LoadImbalanceTable,
    testing::Values(ImbalanceCase{"AllEndTogether", {10, 10, 10}, 0},
                    // mean 8, max 12
                    ImbalanceCase{"OneEndsLate", {6, 6, 12}, 1 - 8.0 / 12},
                    // mean 5, max 10
                    ImbalanceCase{"ANodeWithoutResultsCounts", {10, 0}, 0.5},
                    ImbalanceCase{"OneNode", {7}, 0}, ImbalanceCase{"NoNodes", {}, 0},
                    ImbalanceCase{"NothingHasFinished", {0, 0}, 0},
                    // (0.1 + 0.1 + 0.1) / 3 is above 0.1
                    ImbalanceCase{"EqualTimesAreNeverNegative", {0.1, 0.1, 0.1}, 0}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace evenkeel::model
