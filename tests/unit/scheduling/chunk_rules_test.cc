// Sequences of chunk sizes, worked out from the published formulas apart from the code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/scheduling/techniques/adaptive_chunks.h"
#include "core/scheduling/techniques/factoring_chunks.h"
#include "core/scheduling/techniques/fixed_chunks.h"

namespace evenkeel::scheduling {
namespace {

using Sizes = std::vector<std::int64_t>;

LoopState Equal(std::int64_t tasks, int workers) {
  LoopState loop(tasks, 0.001);
  for (int i = 0; i < workers; ++i) loop.AddWorker(1);
  return loop;
}

/// Sizes until all tasks are given out; workers ask in turn.
Sizes SequenceOf(ChunkRule& rule, const LoopState& loop) {
  Sizes sizes;
  std::int64_t remaining = loop.Tasks();
  for (std::uint32_t i = 0; remaining > 0; ++i) {
    const WorkerId worker{i % static_cast<std::uint32_t>(loop.Places())};
    const auto size = std::clamp<std::int64_t>(rule.Next(loop, worker, remaining), 1, remaining);
    sizes.push_back(size);
    remaining -= size;
  }
  return sizes;
}

Sizes SequenceOf(const ChunkRulePtr& rule) { return SequenceOf(*rule, Equal(1000, 4)); }

/// Each size with its number of repetitions.
Sizes Times(std::int64_t times, const Sizes& sizes) {
  Sizes repeated;
  for (const std::int64_t size : sizes) {
    repeated.insert(repeated.end(), static_cast<std::size_t>(times), size);
  }
  return repeated;
}

TEST(ChunkRules, Static) { EXPECT_EQ(SequenceOf(MakeStaticChunking()), Times(4, {250})); }

TEST(ChunkRules, SelfScheduling) { EXPECT_EQ(SequenceOf(MakeSelfScheduling()), Times(1000, {1})); }

TEST(ChunkRules, GuidedSelfScheduling) {
  EXPECT_EQ(
      SequenceOf(MakeGuidedSelfScheduling()),
      (Sizes{250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14, 11, 8, 6, 4, 3, 3, 2, 1, 1, 1, 1}));
}

TEST(ChunkRules, TrapezoidSelfScheduling) {
  EXPECT_EQ(SequenceOf(MakeTrapezoidSelfScheduling()),
            (Sizes{125, 116, 108, 100, 91, 83, 75, 67, 58, 50, 42, 34, 25, 17, 9}));
}

TEST(ChunkRules, PracticalFactoring) {
  EXPECT_EQ(SequenceOf(MakePracticalFactoring()), Times(4, {125, 63, 31, 16, 8, 4, 2, 1}));
}

TEST(ChunkRules, ModifiedFixedSizeChunking) {
  Sizes expected = Times(32, {31});
  expected.push_back(8);
  EXPECT_EQ(SequenceOf(MakeModifiedFixedSizeChunking()), expected);
}

// h = 1 ms, sigma = 0.1 s: (sqrt 2 x 1000 x 0.001 / (0.1 x 4 x sqrt(ln 4)))^(2/3) = 2.08.
TEST(ChunkRules, FixedSizeChunkingBalancesOverheadAgainstSpread) {
  LoopState loop = Equal(1000, 4);
  for (const double time : {0.9, 1.1, 0.9, 1.1}) loop.Observe({0}, 1, time);
  const double sigma_squared = 0.04 / 3;
  ASSERT_NEAR(loop.Times().Variance(), sigma_squared, 1e-12);
  // With sigma = 0.11547 it is 1.89.
  EXPECT_EQ(MakeFixedSizeChunking()->Next(loop, {0}, 1000), 2);
  // A hundred times the overhead: 1.89 x 100^(2/3) = 40.7.
  LoopState slow(1000, 0.1);
  for (int i = 0; i < 4; ++i) slow.AddWorker(1);
  for (const double time : {0.9, 1.1, 0.9, 1.1}) slow.Observe({0}, 1, time);
  EXPECT_EQ(MakeFixedSizeChunking()->Next(slow, {0}, 1000), 41);
  EXPECT_EQ(MakeFixedSizeChunking()->Next(Equal(1000, 4), {0}, 1000), 31) << "as mFSC at first";
}

// mu = 1, sigma = 0.5: b_0 = 4 x 0.5 / (2 sqrt(1000)) = 0.0316, x_0 = 1.0457, c = 240; then
// b_1 = 1 / sqrt(40) = 0.158, x_1 = 2.342, c = 5; b_2 = 0.224, x_2 = 2.5, c = 2; b_3 = 0.289,
// x_3 = 2.667, c = 2 of the last 12; b_4 = 0.5, x_4 = 3.28, c = 1.
TEST(ChunkRules, FactoringByMeanAndSpread) {
  LoopState loop = Equal(1000, 4);
  for (const double time : {0.5, 1.5, 0.5, 1.5, 1.0}) loop.Observe({0}, 1, time);
  ASSERT_DOUBLE_EQ(loop.Times().Mean(), 1);
  ASSERT_DOUBLE_EQ(loop.Times().Variance(), 0.25);
  EXPECT_EQ(SequenceOf(*MakeFactoring(), loop), Times(4, {240, 5, 2, 2, 1}));
}

TEST(ChunkRules, FactoringWithoutMeasurementsHalves) {
  EXPECT_EQ(SequenceOf(MakeFactoring()), SequenceOf(MakePracticalFactoring()));
}

TEST(ChunkRules, WeightedFactoring) {
  LoopState loop(1100, 0.001);
  for (const double weight : {5.0, 5.0, 1.0}) loop.AddWorker(weight);
  const Sizes sizes = SequenceOf(*MakeWeightedFactoring(), loop);
  const Sizes first(sizes.begin(), sizes.begin() + 12);
  EXPECT_EQ(first, (Sizes{251, 251, 50, 126, 126, 25, 63, 63, 13, 30, 30, 6}));
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), 1100);
}

TEST(ChunkRules, AdaptiveWeightsBeginAsTold) {
  LoopState loop(1100, 0.001);
  for (const double weight : {5.0, 5.0, 1.0}) loop.AddWorker(weight);
  const Sizes expected = SequenceOf(*MakeWeightedFactoring(), loop);
  EXPECT_EQ(SequenceOf(*MakeBatchWeightedFactoring(WeighedTime::kBusy), loop), expected);
  EXPECT_EQ(MakeChunkWeightedFactoring(WeighedTime::kAll)->Next(loop, {0}, 1100), 251);
}

// Chunks of 10 tasks: worker 0 takes 10 s, then 5 s; pi_0 = (1 x 10 + 2 x 5) / (1 x 10 + 2 x 10)
// = 2/3; worker 1 takes 20 s, pi_1 = 2. Speeds 1.5 and 0.5: weights 1.5 and 0.5 of 2.
TEST(ChunkRules, AdaptiveWeightsCountLaterChunksMore) {
  LoopState loop = Equal(1000, 2);
  loop.EndChunk({0}, 10, 10, 30);
  loop.EndChunk({0}, 10, 5, 15);
  loop.EndChunk({1}, 10, 20, 20);
  const auto rule = MakeChunkWeightedFactoring(WeighedTime::kBusy);
  EXPECT_EQ(rule->Next(loop, {0}, 400), 150);
  EXPECT_EQ(rule->Next(loop, {1}, 400), 50);
  // With all of the time pi_0 is (30 + 30) / 30 = 2 as well: the same weights.
  const auto all_time = MakeChunkWeightedFactoring(WeighedTime::kAll);
  EXPECT_EQ(all_time->Next(loop, {0}, 400), 100);
  EXPECT_EQ(all_time->Next(loop, {1}, 400), 100);
}

TEST(ChunkRules, TheWeightsOfABatchStay) {
  LoopState loop = Equal(1000, 2);
  const auto rule = MakeBatchWeightedFactoring(WeighedTime::kBusy);
  EXPECT_EQ(rule->Next(loop, {0}, 1000), 250);
  loop.EndChunk({0}, 10, 10, 10);
  loop.EndChunk({1}, 10, 30, 30);
  EXPECT_EQ(rule->Next(loop, {1}, 750), 250) << "still the first batch";
  EXPECT_EQ(rule->Next(loop, {0}, 500), 188) << "1.5 x 125 + 0.55";
}

TEST(ChunkRules, SteppedWeightsChangeWithTheStep) {
  LoopState loop = Equal(1000, 2);
  const auto rule = MakeSteppedWeightedFactoring(2);
  EXPECT_EQ(rule->Next(loop, {0}, 1000), 125) << "a quarter of the first 500";
  loop.EndChunk({0}, 10, 10, 10);
  loop.EndChunk({1}, 10, 30, 30);
  EXPECT_EQ(rule->Next(loop, {1}, 875), 125);
  std::int64_t remaining = 750;
  while (remaining > 500) remaining -= rule->Next(loop, {0}, remaining);
  EXPECT_EQ(remaining, 500) << "no chunk goes beyond its step";
  EXPECT_EQ(rule->Next(loop, {0}, 500), 188);
}

// mu = (1, 2), sigma^2 = (0.25, 1): D = 0.25 + 0.5 = 0.75, T = 1 / 1.5; R = 100:
// c_0 = (0.75 + 133.33 - sqrt(0.5625 + 200)) / 2 = 59.96, c_1 = half of it.
TEST(ChunkRules, AdaptiveFactoring) {
  LoopState loop = Equal(1000, 2);
  const auto rule = MakeAdaptiveFactoring();
  EXPECT_EQ(rule->Next(loop, {0}, 1000), 10) << "to be measured";
  for (const double time : {0.5, 1.5, 0.5, 1.5, 1.0}) loop.Observe({0}, 1, time);
  for (const double time : {1.0, 3.0, 1.0, 3.0, 2.0}) loop.Observe({1}, 1, time);
  EXPECT_EQ(rule->Next(loop, {0}, 100), 60);
  EXPECT_EQ(rule->Next(loop, {1}, 100), 30);
}

TEST(ChunkRules, RandomChunksKeepToTheirLimits) {
  LoopState loop = Equal(4000, 4);
  const auto rule = MakeRandomChunks(1);
  std::int64_t least = 4000;
  std::int64_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t size = rule->Next(loop, {0}, 4000);
    least = std::min(least, size);
    most = std::max(most, size);
  }
  EXPECT_EQ(least, 10);
  EXPECT_EQ(most, 500);
  EXPECT_EQ(SequenceOf(*MakeRandomChunks(7), loop), SequenceOf(*MakeRandomChunks(7), loop));
}

TEST(ChunkRules, TheShareOfALostWorkerGoesToTheOthers) {
  LoopState loop(1000, 0.001);
  for (const double weight : {5.0, 5.0, 1.0}) loop.AddWorker(weight);
  loop.SetAlive({0}, false);
  EXPECT_EQ(loop.Workers(), 2);
  EXPECT_DOUBLE_EQ(loop.Weight({1}), 5.0 / 3);
  EXPECT_EQ(MakeGuidedSelfScheduling()->Next(loop, {1}, 100), 50);
  loop.SetAlive({0}, true);
  EXPECT_EQ(loop.Workers(), 3);
}

// Reports of several tasks say less of the spread, and are counted for that.
TEST(ChunkRules, TheSpreadOfATaskIsFoundFromSumsOverSeveral) {
  TaskTimes times;
  times.Observe(4, 4.0);
  EXPECT_FALSE(times.Several());
  times.Observe(4, 8.0);
  EXPECT_DOUBLE_EQ(times.Mean(), 1.5);
  EXPECT_DOUBLE_EQ(times.Variance(), 4 * 0.25 + 4 * 0.25);
}

}  // namespace
}  // namespace evenkeel::scheduling
