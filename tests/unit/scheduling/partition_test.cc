#include "core/scheduling/partition.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace evenkeel::scheduling {
namespace {

using model::IndexRange;
using model::RangeSet;
using Candidates = std::vector<std::int64_t>;
using Parts = std::vector<std::vector<IndexRange>>;

std::vector<std::vector<IndexRange>> Ranges(const std::vector<RangeSet>& parts) {
  std::vector<std::vector<IndexRange>> ranges;
  for (const auto& part : parts) ranges.push_back(part.Ranges());
  return ranges;
}

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

constexpr std::int64_t kTasksTo100 = 50;  // candidates 1, 3, ..., 99

/// The candidates 2i + 1 of a worker's tasks, in the order of the tasks.
Candidates CandidatesOf(const std::vector<IndexRange>& ranges) {
  Candidates candidates;
  for (const IndexRange range : ranges) {
    for (std::int64_t i = range.begin; i < range.end; ++i) candidates.push_back(2 * i + 1);
  }
  return candidates;
}

Candidates Sorted(Candidates candidates) {
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

TEST(PseudoRanks, TheMasterComesLastUnlessAllWeighTheSame) {
  EXPECT_EQ(PseudoRanks({5, 5, 1}), (std::vector<IndexRange>{{6, 11}, {0, 5}, {5, 6}}));
  EXPECT_EQ(PseudoRanks({1, 1, 1}), (std::vector<IndexRange>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(PseudoRanks({3}), (std::vector<IndexRange>{{0, 3}}));
}

TEST(PartitionLargestFirst, DealsTheLargestFirstToThePartWithLeastForItsWeight) {
  const model::PrefixCosts costs({3, 8, 5, 4, 7});
  const auto parts = PartitionLargestFirst(costs, RangeSet(IndexRange{0, 5}), {2, 1}, 1);
  // 8 to the first, which has 4 for its weight then; 7 to the other; 5 and 4 and 3 to the first or
  // wherever less is.
  EXPECT_TRUE(parts[0].Contains(IndexRange{1, 2}));
  EXPECT_TRUE(parts[1].Contains(IndexRange{4, 5}));
  model::Cost first = 0;
  parts[0].ForEach([&](IndexRange range) { first += costs.Of(range); });
  EXPECT_EQ(first, 17) << "8, 5, 4; the 3 goes to the other";
}

TEST(PartitionLargestFirst, TasksThatCostNothingAreDealtOutBesideEqualLargeOnes) {
  const model::PrefixCosts costs({5, 5, 0, 0});
  const auto parts = PartitionLargestFirst(costs, RangeSet(IndexRange{0, 4}), {1, 1}, 1);
  EXPECT_EQ(parts[0].Size() + parts[1].Size(), 4);
  EXPECT_TRUE(parts[0].Overlaps({0, 2}) && parts[1].Overlaps({0, 2}));
}

TEST(PartitionLargestFirst, EveryTaskIsInOnePartAndNoneAtAWeightOfZero) {
  std::vector<model::Cost> each;
  for (model::Cost i = 0; i < 500; ++i) each.push_back(i * 7919 % 101);
  const model::PrefixCosts costs(each);
  RangeSet todo(IndexRange{0, 500});
  todo.Erase({50, 77});
  model::Cost total = 0;
  todo.ForEach([&](IndexRange range) { total += costs.Of(range); });
  const std::vector<double> weights{4, 0, 1, 2.5};
  for (const model::Cost heavy : {1, 40, 90, 1000}) {
    const auto parts = PartitionLargestFirst(costs, todo, weights, heavy);
    ASSERT_EQ(parts.size(), weights.size());
    RangeSet all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      model::Cost cost = 0;
      parts[i].ForEach([&](IndexRange range) {
        EXPECT_FALSE(all.Overlaps(range));
        all.Insert(range);
        cost += costs.Of(range);
      });
      EXPECT_NEAR(static_cast<double>(cost), static_cast<double>(total) * weights[i] / 7.5, 101)
          << heavy;
      EXPECT_TRUE(weights[i] > 0 || parts[i].Empty());
    }
    EXPECT_EQ(all, todo) << heavy;
  }
}

TEST(PartitionInTurn, SpreadsEachPartOverAllTasks) {
  const auto parts = PartitionInTurn(RangeSet(IndexRange{0, 12}), {2, 1, 1}, 12);
  EXPECT_EQ(parts[0].Size(), 6);
  EXPECT_EQ(parts[1].Size(), 3);
  EXPECT_EQ(parts[2].Size(), 3);
  for (const auto& part : parts) {
    EXPECT_LT(part.Front().begin, 4);
    EXPECT_GE(part.Back().end, 9);
  }
}

TEST(PartitionInTurn, EveryTaskIsInOnePartAndSharesFollowTheWeights) {
  RangeSet todo(IndexRange{0, 1000});
  todo.Erase({100, 350});
  const std::vector<double> weights{5, 0, 1, 0.25};
  for (const std::int64_t blocks : {1, 3, 40, 5000}) {
    const auto parts = PartitionInTurn(todo, weights, blocks);
    RangeSet all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].ForEach([&](IndexRange range) {
        EXPECT_FALSE(all.Overlaps(range));
        all.Insert(range);
      });
      EXPECT_NEAR(static_cast<double>(parts[i].Size()), 750 * weights[i] / 6.25, 1) << blocks;
    }
    EXPECT_EQ(all, todo);
  }
}

TEST(InterleavedSplit, IsThePublishedOneForEnd100) {
  // Section 3.2 of the paper lists these, pseudo-rank by pseudo-rank.
  const auto tasks = InterleavedSplit({5, 5, 1}, kTasksTo100);
  EXPECT_EQ(Sorted(CandidatesOf(tasks[0])), Sorted({13, 35, 57, 79, 15, 37, 59, 81, 17, 39,
                                                    61, 83, 19, 41, 63, 85, 21, 43, 65, 87}));
  EXPECT_EQ(Sorted(CandidatesOf(tasks[1])),
            Sorted({1,  23, 45, 67, 89, 3,  25, 47, 69, 91, 5,  27, 49,
                    71, 93, 7,  29, 51, 73, 95, 9,  31, 53, 75, 97}));
  EXPECT_EQ(CandidatesOf(tasks[2]), (Candidates{11, 33, 55, 77, 99}));
}

TEST(InterleavedSplit, EqualWeightsAreThePublishedEqualLoadForEnd100) {
  // Section 2.1 of the paper lists these. The second node draws multiples of 3 only.
  const auto tasks = InterleavedSplit({1, 1, 1}, kTasksTo100);
  EXPECT_EQ(CandidatesOf(tasks[0]),
            (Candidates{1, 7, 13, 19, 25, 31, 37, 43, 49, 55, 61, 67, 73, 79, 85, 91, 97}));
  EXPECT_EQ(CandidatesOf(tasks[1]),
            (Candidates{3, 9, 15, 21, 27, 33, 39, 45, 51, 57, 63, 69, 75, 81, 87, 93, 99}));
  EXPECT_EQ(CandidatesOf(tasks[2]),
            (Candidates{5, 11, 17, 23, 29, 35, 41, 47, 53, 59, 65, 71, 77, 83, 89, 95}));
}

TEST(InterleavedSplit, EveryTaskHasOneOwnerAndRangesAreMaximal) {
  const std::vector<std::vector<std::int64_t>> cases{
      {5, 5, 1}, {0, 2, 0, 3}, {4, 0}, {1}, {7, 1, 2}};
  for (const auto& weights : cases) {
    std::int64_t cycle = 0;
    for (const std::int64_t weight : weights) cycle += weight;
    for (std::int64_t count = 0; count <= 3 * cycle + 2; ++count) {
      const auto ranks = PseudoRanks(weights);
      const auto tasks = InterleavedSplit(weights, count);
      std::vector<int> owners(static_cast<std::size_t>(count), 0);
      for (std::size_t worker = 0; worker < weights.size(); ++worker) {
        std::int64_t last_end = -1;
        for (const IndexRange range : tasks[worker]) {
          ASSERT_LT(last_end, range.begin);
          ASSERT_LT(range.begin, range.end);
          last_end = range.end;
          for (std::int64_t i = range.begin; i < range.end; ++i) {
            ++owners[static_cast<std::size_t>(i)];
            ASSERT_TRUE(ranks[worker].Contains(i % cycle));
          }
        }
      }
      for (const int owner_count : owners) ASSERT_EQ(owner_count, 1);
    }
  }
}

TEST(InterleavedSplit, HugeNumbersDoNotOverflow) {
  const std::int64_t half = INT64_MAX / 2;
  const auto tasks = InterleavedSplit({half, half}, INT64_MAX);
  EXPECT_EQ(tasks[0], (std::vector<IndexRange>{{0, half}, {2 * half, INT64_MAX}}));
  EXPECT_EQ(tasks[1], (std::vector<IndexRange>{{half, 2 * half}}));
}

TEST(InterleavedSplitDeathTest, AllWeightsZeroIsAnError) {
  EXPECT_DEATH((void)InterleavedSplit({0, 0}, 1), "some worker has a weight");
  EXPECT_DEATH((void)InterleavedSplit({-1, 2}, 1), "not negative");
}

}  // namespace
}  // namespace evenkeel::scheduling
