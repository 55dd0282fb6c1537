#include "core/scheduling/cost_reliability.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/scheduling/timing_estimator.h"

namespace evenkeel::scheduling {
namespace {

/// Ten workers of speeds 1 to 10 take turns at `tasks` tasks, of `of_tasks` if not of as many;
/// `draw` sets the declared cost and the seconds at speed 1 of each.
struct Drawn {
  model::Cost declared = 1;
  double seconds = 1;
};
bool IsNoise(int tasks, const std::function<Drawn()>& draw, int of_tasks = 0) {
  CostReliability reliability;
  for (int i = 0; i < 10; ++i) reliability.AddWorker();
  for (int i = 0; i < tasks; ++i) {
    const auto worker = static_cast<std::uint32_t>(i % 10);
    const Drawn task = draw();
    reliability.Observe({worker}, 1, task.declared, task.seconds / (1.0 + worker));
  }
  return reliability.CostsAreNoise(of_tasks > 0 ? of_tasks : tasks);
}

constexpr double kUnit = 1e6;

double LogNormal(Rng& rng, double sigma) {
  return PortableExp(sigma * rng.Normal() - sigma * sigma / 2);
}

TEST(CostReliability, ExactCostsAreNoNoise) {
  Rng rng(1);
  EXPECT_FALSE(IsNoise(1000, [&] {
    const double time = rng.Exponential(1);
    return Drawn{static_cast<model::Cost>(kUnit * time) + 1, time};
  }));
}

TEST(CostReliability, CostsOfEqualTasksAreNoiseAfterTwoTasksEach) {
  Rng rng(2);
  const auto draw = [&] {
    return Drawn{static_cast<model::Cost>(kUnit * LogNormal(rng, 0.5)), 1.0};
  };
  EXPECT_FALSE(IsNoise(10, draw)) << "no worker has two tasks that could be compared";
  EXPECT_TRUE(IsNoise(20, draw));
}

TEST(CostReliability, CostsThatHaveNothingToDoWithTheTimesAreNoiseAfterHalfOfManyTasks) {
  Rng rng(3);
  const auto draw = [&] {
    return Drawn{static_cast<model::Cost>(kUnit * rng.Exponential(1)) + 1, rng.Exponential(1)};
  };
  EXPECT_TRUE(IsNoise(2000, draw, 4000));
  EXPECT_FALSE(IsNoise(2000, draw, 4002)) << "the first to end are the short ones";
  EXPECT_FALSE(IsNoise(60, draw)) << "too few per worker";
}

TEST(CostReliability, CostsWithErrorsThatStillSayMoreThanNothingCount) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const auto draw = [&] {
      const double time = LogNormal(rng, 1.0);
      const double declared = kUnit * time * LogNormal(rng, 0.5);
      return Drawn{static_cast<model::Cost>(declared) + 1, time};
    };
    EXPECT_FALSE(IsNoise(1000, draw)) << "4/5 of the variance of log(cost) are true: seed " << seed;
  }
}

TEST(CostReliability, EqualCostsSayNothingWrong) {
  Rng rng(4);
  EXPECT_FALSE(IsNoise(1000, [&] { return Drawn{1000, rng.Exponential(1)}; }));
}

class EstimatorWithDeclaredCosts : public testing::Test {
 protected:
  EstimatorWithDeclaredCosts() {
    for (std::uint32_t i = 0; i < 4; ++i) estimator.AddWorker(1, 1);
  }
  /// Each worker runs one task of `cost`, worker i at the speed 1 + i.
  void RunRound(model::Cost cost, double time) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      estimator.Observe({i}, 1, cost, FromSeconds(time / (1.0 + i)));
    }
  }

  model::PrefixCosts costs{{10, 20, 40, 50}};
  TimingEstimator estimator{{.costs = &costs}};
};

TEST_F(EstimatorWithDeclaredCosts, CountsTasksEquallyOnceTheirCostsAreFoundToBeNoise) {
  const model::Cost declared[] = {10, 50, 20, 40};
  for (const model::Cost cost : declared) RunRound(cost, 6);
  EXPECT_EQ(estimator.EqualCost(), 30) << "the mean of the declared costs";
  EXPECT_EQ(estimator.Costs().use, model::CostUse::kNoise);
  ASSERT_TRUE(estimator.Costs().slope);
  EXPECT_NEAR(*estimator.Costs().slope, 0, 0.05);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_NEAR(estimator.Rate({i}), 5.0 * (1 + i), 0.05);
  for (int n = 0; n < 4; ++n) RunRound(1000, 6);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(estimator.Rate({i}), 5.0 * (1 + i), 0.05) << "whatever costs are declared";
  }
}

TEST_F(EstimatorWithDeclaredCosts, TrustsDeclaredCostsIfTimesFollowThem) {
  const model::Cost declared[] = {10, 50, 20, 40};
  for (const model::Cost cost : declared) RunRound(cost, static_cast<double>(cost) / 5);
  EXPECT_EQ(estimator.EqualCost(), std::nullopt);
  EXPECT_EQ(estimator.Costs().use, model::CostUse::kUsed);
  EXPECT_NEAR(estimator.Costs().slope.value_or(0), 1, 1e-6);
  EXPECT_NEAR(estimator.Costs().time_sigma, 0, 1e-6);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_NEAR(estimator.Rate({i}), 5.0 * (1 + i), 0.05);
}

TEST_F(EstimatorWithDeclaredCosts, WhatIsFoundOfCostsNeedsMeasurements) {
  EXPECT_EQ(estimator.Costs().use, model::CostUse::kUsed);
  EXPECT_EQ(estimator.Costs().slope, std::nullopt);
  EXPECT_EQ(estimator.Costs().time_sigma, 0);
  const model::UnitCosts unknown(4);
  const TimingEstimator without{{.costs = &unknown}};
  EXPECT_EQ(without.Costs().use, model::CostUse::kUnknown);
}

TEST_F(EstimatorWithDeclaredCosts, HowUnequalTasksAreIsKnownAtOnce) {
  Rng rng(5);
  for (int n = 0; n < 50; ++n) {
    RunRound(static_cast<model::Cost>(100 * rng.Exponential(1)) + 1, LogNormal(rng, 0.5));
  }
  ASSERT_TRUE(estimator.EqualCost());
  EXPECT_NEAR(estimator.Uncertainty({0}).task, 0.25, 0.1);
}

/// Times of 100 tasks fall with the index from about 2 s to 0.1 s; declared costs are those times
/// with errors of this sigma. Four workers, of the speeds 1 to 4, run the tasks in turn.
struct FallingTimes {
  static constexpr int kTasks = 100;

  explicit FallingTimes(double sigma) {
    Rng rng(6);
    std::vector<model::Cost> declared;
    for (int i = 0; i < kTasks; ++i) {
      declared.push_back(static_cast<model::Cost>(kUnit * Time(i) * LogNormal(rng, sigma)) + 1);
    }
    costs = model::PrefixCosts(declared);
    for (std::uint32_t i = 0; i < 4; ++i) estimator.AddWorker(1, 1);
  }
  static double Time(int index) { return 2 - 1.9 * (index + 0.5) / kTasks; }
  void Run(int tasks) {
    for (int i = 0; i < tasks; ++i) {
      const model::IndexRange task{i, i + 1};
      const auto worker = static_cast<std::uint32_t>(i % 4);
      const Duration busy = FromSeconds(Time(i) / (1.0 + worker));
      estimator.ObserveRange({worker}, task, busy);
      estimator.Observe({worker}, 1, costs.Of(task), busy, task.Middle());
    }
  }

  model::PrefixCosts costs{{1}};
  TimingEstimator estimator{{.costs = &costs}};
};

TEST(EstimatorOfCostsAndTrend, ATrendThatSaysMuchMoreThanCostsReplacesThem) {
  FallingTimes job(0.5);
  job.Run(60);
  ASSERT_TRUE(job.estimator.EqualCost());
  EXPECT_EQ(job.estimator.Costs().use, model::CostUse::kIndexIsBetter);
  EXPECT_GT(job.estimator.RelativeCost(10), 2 * job.estimator.RelativeCost(70));
  const double mean_cost = static_cast<double>(*job.estimator.EqualCost());
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(job.estimator.Rate({i}) / (mean_cost * (1 + i)), 1, 0.2) << "a mean task takes 1 s";
  }
}

TEST(EstimatorOfCostsAndTrend, CostsThatSayAsMuchStay) {
  FallingTimes job(0.01);
  job.Run(60);
  EXPECT_FALSE(job.estimator.EqualCost());
  EXPECT_FALSE(job.estimator.HasTrend());
}

}  // namespace
}  // namespace evenkeel::scheduling
