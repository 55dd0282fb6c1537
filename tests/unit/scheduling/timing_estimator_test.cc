#include "core/scheduling/timing_estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace evenkeel::scheduling {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WorkerId kFirst{0};
constexpr WorkerId kSecond{1};

class TimingEstimatorTest : public testing::Test {
 protected:
  TimingEstimator estimator{TimingEstimator::Options{}};
  TimingEstimatorTest() {
    estimator.AddWorker(4, 1);
    estimator.AddWorker(1, 1);
  }
};

TEST_F(TimingEstimatorTest, BeforeAnyMeasurementOnlyRatiosCount) {
  EXPECT_DOUBLE_EQ(estimator.Rate(kFirst) / estimator.Rate(kSecond), 4);
  EXPECT_FALSE(estimator.AnyMeasured());
  EXPECT_DOUBLE_EQ(estimator.RelativeSigma(kFirst), 0.5);
}

TEST_F(TimingEstimatorTest, OneWorkersMeasurementScalesTheOthersPrior) {
  estimator.Observe(kFirst, 10, 800, seconds(10));  // 80 a second: a ratio of 1 is worth 20
  EXPECT_NEAR(estimator.Rate(kSecond), 20, 1e-9);
  EXPECT_FALSE(estimator.Measured(kSecond));
}

TEST_F(TimingEstimatorTest, MeasurementsOverruleAWrongPrior) {
  for (int i = 0; i < 20; ++i) {
    estimator.Observe(kFirst, 1, 100, seconds(1));
    estimator.Observe(kSecond, 1, 400, seconds(1));
  }
  EXPECT_NEAR(estimator.Rate(kFirst), 100, 2);
  EXPECT_NEAR(estimator.Rate(kSecond), 400, 8);
  EXPECT_LT(estimator.RelativeSigma(kFirst), 0.05);
}

TEST_F(TimingEstimatorTest, ASlowdownIsNoticedWithinAFewReports) {
  for (int i = 0; i < 50; ++i) estimator.Observe(kFirst, 1, 100, seconds(1));
  for (int i = 0; i < 4; ++i) estimator.Observe(kFirst, 1, 100, seconds(2));
  EXPECT_NEAR(estimator.Rate(kFirst), 50, 10);
}

TEST_F(TimingEstimatorTest, ThreadsMultiplyTheRate) {
  estimator.SetThreads(kFirst, 4);
  for (int i = 0; i < 50; ++i) estimator.Observe(kFirst, 1, 100, seconds(1));
  EXPECT_NEAR(estimator.ThreadRate(kFirst), 100, 1);
  EXPECT_NEAR(estimator.Rate(kFirst), 400, 4);
}

TEST_F(TimingEstimatorTest, TasksWithoutCostSayNothing) {
  estimator.Observe(kFirst, 5, 0, seconds(1));
  estimator.Observe(kFirst, 0, 5, seconds(1));
  EXPECT_FALSE(estimator.AnyMeasured());
}

TEST_F(TimingEstimatorTest, StaysFiniteAtTheEndsOfTheScale) {
  estimator.Observe(kFirst, 1, std::numeric_limits<model::Cost>::max(), Duration::zero());
  estimator.Observe(kSecond, 1, 1, Duration::max());
  for (const WorkerId worker : {kFirst, kSecond}) {
    EXPECT_TRUE(std::isfinite(estimator.Rate(worker)));
    EXPECT_GT(estimator.Rate(worker), 0);
    EXPECT_TRUE(std::isfinite(estimator.RelativeSigma(worker)));
  }
}

}  // namespace
}  // namespace evenkeel::scheduling
