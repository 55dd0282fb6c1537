#include "core/model/cost_model.h"

#include <gtest/gtest.h>

namespace evenkeel::model {
namespace {

TEST(CostModel, PrefixSumsGiveTheCostOfARange) {
  const PrefixCosts costs({3, 0, 5, 2});
  EXPECT_EQ(costs.Total(), 10);
  EXPECT_EQ(costs.Of({1, 3}), 5);
  EXPECT_EQ(costs.Longest(), 5);
}

TEST(CostModel, EndWithinTakesAllThatIsAffordable) {
  const PrefixCosts costs({3, 0, 5, 2});
  EXPECT_EQ(costs.EndWithin({0, 4}, 2), 0);
  EXPECT_EQ(costs.EndWithin({0, 4}, 3), 2) << "a task that costs nothing comes along";
  EXPECT_EQ(costs.EndWithin({0, 4}, 8), 3);
  EXPECT_EQ(costs.EndWithin({0, 4}, 100), 4);
}

TEST(CostModel, BeginWithinDoesTheSameFromTheTail) {
  const PrefixCosts costs({3, 0, 5, 2});
  EXPECT_EQ(costs.BeginWithin({0, 4}, 1), 4);
  EXPECT_EQ(costs.BeginWithin({0, 4}, 7), 1);
  EXPECT_EQ(costs.BeginWithin({0, 4}, 100), 0);
}

TEST(CostModel, UnknownCostsCountTasks) {
  const UnitCosts costs(10);
  EXPECT_EQ(costs.Of({2, 7}), 5);
  EXPECT_EQ(costs.EndWithin({2, 9}, 3), 5);
  EXPECT_FALSE(costs.Known());
}

}  // namespace
}  // namespace evenkeel::model
