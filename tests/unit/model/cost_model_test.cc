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

std::shared_ptr<const CostModel> Table(const std::vector<Cost>& costs) {
  return std::make_shared<PrefixCosts>(costs);
}

TEST(GrowingCosts, TakeTheAppendedTasks) {
  GrowingCosts costs(Table({3, 1}));
  costs.GrowTo(Table({3, 1, 7}));
  EXPECT_EQ(costs.TaskCount(), 3);
  EXPECT_EQ(costs.Total(), 11);
  EXPECT_EQ(costs.Longest(), 7);
}

TEST(GrowingCosts, CostsOfPresentTasksDoNotChange) {
  GrowingCosts costs(Table({3, 1}));
  costs.GrowTo(Table({1, 3, 7}));  // with the same sum
  EXPECT_EQ(costs.Of({0, 1}), 3);
  EXPECT_EQ(costs.Of({1, 2}), 1);
  EXPECT_EQ(costs.Of({2, 3}), 7);
  costs.GrowTo(Table({9, 9, 9, 9}));
  EXPECT_EQ(costs.Cumulative(3), 11);
  EXPECT_EQ(costs.Total(), 20);
}

TEST(GrowingCosts, TasksWithoutCostsCountAsMuchAsTheMean) {
  GrowingCosts costs(Table({3, 1}));
  costs.GrowTo(std::make_shared<UnitCosts>(4));
  EXPECT_TRUE(costs.Known());
  EXPECT_EQ(costs.Of({2, 4}), 4);
}

TEST(GrowingCosts, UnknownOnesStayUnknown) {
  GrowingCosts costs(std::make_shared<UnitCosts>(2));
  costs.GrowTo(Table({5, 5, 5}));
  EXPECT_FALSE(costs.Known());
  EXPECT_EQ(costs.Total(), 3);
}

TEST(GrowingCosts, SumsFitWhateverIsAppended) {
  const auto huge = static_cast<Cost>(kMostCost) / 2;
  GrowingCosts costs(Table({huge}));
  costs.GrowTo(Table({1, huge, huge}));
  EXPECT_EQ(costs.Of({0, 1}), huge);
  EXPECT_LE(costs.Total(), static_cast<Cost>(kMostCost));
  costs.GrowTo(Table({1, huge, huge, huge}));
  EXPECT_LE(costs.Total(), static_cast<Cost>(kMostCost));
}

TEST(CostModel, UnknownCostsCountTasks) {
  const UnitCosts costs(10);
  EXPECT_EQ(costs.Of({2, 7}), 5);
  EXPECT_EQ(costs.EndWithin({2, 9}, 3), 5);
  EXPECT_FALSE(costs.Known());
}

}  // namespace
}  // namespace evenkeel::model
