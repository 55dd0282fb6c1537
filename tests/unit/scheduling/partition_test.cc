#include "core/scheduling/partition.h"

#include <gtest/gtest.h>

namespace evenkeel::scheduling {
namespace {

using model::IndexRange;
using model::RangeSet;

std::vector<std::vector<IndexRange>> Ranges(const std::vector<RangeSet>& parts) {
  std::vector<std::vector<IndexRange>> ranges;
  for (const auto& part : parts) ranges.push_back(part.Ranges());
  return ranges;
}

using Parts = std::vector<std::vector<IndexRange>>;

TEST(PartitionByCost, CutsUnitCostsInTheRatioOfTheWeights) {
  const model::UnitCosts costs(11);
  EXPECT_EQ(Ranges(PartitionByCost(costs, RangeSet({0, 11}), {5, 5, 1})),
            (Parts{{{0, 5}}, {{5, 10}}, {{10, 11}}}));
}

TEST(PartitionByCost, CutsAtTheBoundaryNearestToTheExactPrefix) {
  const model::PrefixCosts costs(
      {4, 1, 1, 10});  // halves: 8, after task 2 it is 6, after 3 it is 16
  EXPECT_EQ(Ranges(PartitionByCost(costs, RangeSet({0, 4}), {1, 1})), (Parts{{{0, 3}}, {{3, 4}}}));
}

TEST(PartitionByCost, SkipsGapsAndWorkersWithoutWeight) {
  const model::UnitCosts costs(10);
  RangeSet todo({0, 2});
  todo.Insert({6, 10});
  EXPECT_EQ(Ranges(PartitionByCost(costs, todo, {1, 0, 1})),
            (Parts{{{0, 2}, {6, 7}}, {}, {{7, 10}}}));
}

TEST(PartitionByCost, OneGiantLeavesOthersWithoutAPart) {
  const model::PrefixCosts costs({1, 1000, 1});
  const auto parts = Ranges(PartitionByCost(costs, RangeSet({0, 3}), {1, 1, 1}));
  std::int64_t tasks = 0;
  for (const auto& part : parts) {
    for (const IndexRange range : part) tasks += range.Size();
  }
  EXPECT_EQ(tasks, 3);
}

TEST(PartitionByCost, TasksWithoutCostAreNotLost) {
  const model::PrefixCosts costs({0, 0, 0});
  EXPECT_EQ(Ranges(PartitionByCost(costs, RangeSet({0, 3}), {1, 1})), (Parts{{}, {{0, 3}}}));
}

TEST(PartitionByCost, CostsNearTheLimitDoNotOverflow) {
  constexpr model::Cost kHalf = INT64_MAX / 2;
  const model::PrefixCosts costs({kHalf, kHalf});
  EXPECT_EQ(Ranges(PartitionByCost(costs, RangeSet({0, 2}), {1, 1})), (Parts{{{0, 1}}, {{1, 2}}}));
}

TEST(PartitionEqually, TheFirstPartsGetOneMore) {
  EXPECT_EQ(Ranges(PartitionEqually(RangeSet({0, 8}), 3)), (Parts{{{0, 3}}, {{3, 6}}, {{6, 8}}}));
  EXPECT_EQ(Ranges(PartitionEqually(RangeSet({0, 1}), 2)), (Parts{{{0, 1}}, {}}));
  EXPECT_EQ(Ranges(PartitionEqually(RangeSet(), 2)), (Parts{{}, {}}));
}

}  // namespace
}  // namespace evenkeel::scheduling
