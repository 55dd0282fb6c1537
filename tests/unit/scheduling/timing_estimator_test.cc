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
  for (int n = 0; n < 20; ++n) estimator.Observe(kFirst, 10, 800, seconds(10));
  EXPECT_NEAR(estimator.Rate(kSecond), 20, 1e-9) << "each worker counts once";
}

TEST_F(TimingEstimatorTest, AHistoryMakesRatesKnownFromTheStart) {
  EXPECT_FALSE(estimator.RatesKnown());
  estimator.SetUnitRate(20);
  EXPECT_TRUE(estimator.RatesKnown());
  EXPECT_FALSE(estimator.AnyMeasured());
  EXPECT_DOUBLE_EQ(estimator.Rate(kFirst), 80);
  EXPECT_DOUBLE_EQ(estimator.Rate(kSecond), 20);
}

TEST_F(TimingEstimatorTest, TheFirstMeasurementSaysBetterWhatARatioIsWorth) {
  estimator.SetUnitRate(1e6);
  estimator.Observe(kFirst, 10, 800, seconds(10));
  EXPECT_NEAR(estimator.Rate(kSecond), 20, 1e-9);
}

TEST_F(TimingEstimatorTest, AWellKnownWorkerIsCorrectedMoreSlowly) {
  TimingEstimator known{TimingEstimator::Options{}};
  known.AddWorker(4, 1, 0.1);
  known.AddWorker(1, 1, 0.1);
  EXPECT_DOUBLE_EQ(known.RelativeSigma(kFirst), 0.1);
  for (TimingEstimator* one : {&estimator, &known}) {
    one->SetUnitRate(20);
    one->Observe(kSecond, 100, 2000, seconds(100));  // 20 a second, as expected
    one->Observe(kFirst, 1, 100, seconds(1));        // a task that took 4/5 of what it should
  }
  EXPECT_LT(known.Rate(kFirst), estimator.Rate(kFirst));
  EXPECT_GT(known.Rate(kFirst), 80);
}

TEST_F(TimingEstimatorTest, AHistoryThatLiesIsCorrectedByWhatIsMeasured) {
  TimingEstimator lied_to{TimingEstimator::Options{}};
  lied_to.AddWorker(100, 1, 0.01);
  lied_to.AddWorker(1, 1, 0.01);
  lied_to.SetUnitRate(1);
  for (int i = 0; i < 3; ++i) {
    lied_to.Observe(kFirst, 4, 4, seconds(1));
    lied_to.Observe(kSecond, 4, 4, seconds(1));
  }
  EXPECT_NEAR(lied_to.Rate(kFirst), 4, 0.2);
  EXPECT_NEAR(lied_to.Rate(kSecond), 4, 0.2);
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

TEST_F(TimingEstimatorTest, ADeliveryTakesTheRoundTripAndWhatDataAdd) {
  EXPECT_EQ(estimator.DeliveryTime(kFirst), Duration(milliseconds(1)));
  EXPECT_EQ(estimator.TransferSeconds(kFirst), 0);
  estimator.NoteDelivery(kFirst, milliseconds(401), 4);
  EXPECT_NEAR(ToSeconds(estimator.DeliveryTime(kFirst)), 0.101, 1e-9) << "100 ms a task";
  EXPECT_NEAR(estimator.TransferSeconds(kFirst), 0.1, 1e-9);
  for (int n = 0; n < 100; ++n) estimator.NoteDelivery(kFirst, milliseconds(301), 1);
  EXPECT_NEAR(ToSeconds(estimator.DeliveryTime(kFirst)), 0.301, 1e-3) << "the old one fades";
  EXPECT_NEAR(estimator.TransferSeconds(kFirst), 0.1, 1e-9) << "the shortest";
  EXPECT_EQ(estimator.DeliveryTime(kSecond), Duration(milliseconds(1)));
}

TEST_F(TimingEstimatorTest, ATransferTakesNoLongerThanTasksComeThrough) {
  estimator.NoteDelivery(kFirst, seconds(5), 1);  // the worker started meanwhile
  estimator.Observe(kFirst, 10, 10, seconds(1));
  estimator.NoteThroughput(kFirst, 10, seconds(1));
  EXPECT_NEAR(estimator.TransferSeconds(kFirst), 0.1, 1e-9);
}

// Else a job of tiny commands was sent task by task to its end.
TEST_F(TimingEstimatorTest, AShortDelayOfTheFirstTasksIsNoTransfer) {
  estimator.Observe(kFirst, 1, 1, milliseconds(1));
  estimator.NoteDelivery(kFirst, milliseconds(6), 1);
  EXPECT_EQ(estimator.TransferSeconds(kFirst), 0) << "its process started";
  EXPECT_NEAR(ToSeconds(estimator.DeliveryTime(kFirst)), 0.006, 1e-9);
  estimator.NoteDelivery(kFirst, milliseconds(51), 1);
  EXPECT_NEAR(estimator.TransferSeconds(kFirst), 0.05, 1e-9) << "too long for that";
  estimator.Observe(kFirst, 10, 10, milliseconds(10));
  estimator.NoteDelivery(kFirst, milliseconds(6), 1);
  EXPECT_NEAR(estimator.TransferSeconds(kFirst), 0.005, 1e-9);
}

TEST_F(TimingEstimatorTest, AShortDelayOfTheFirstTasksIsATransferIfTasksComeSlowly) {
  estimator.NoteDelivery(kFirst, milliseconds(16), 1);
  EXPECT_NEAR(estimator.DoubtfulTransferSeconds(kFirst), 0.015, 1e-9);
  estimator.Observe(kFirst, 10, 10, milliseconds(50));
  estimator.NoteThroughput(kFirst, 10, milliseconds(60));
  EXPECT_EQ(estimator.TransferSeconds(kFirst), 0) << "it computes nearly all of the time";
  EXPECT_NEAR(estimator.DoubtfulTransferSeconds(kFirst), 0.006, 1e-9);
  estimator.NoteThroughput(kFirst, 30, seconds(1));
  EXPECT_NEAR(estimator.TransferSeconds(kFirst), 0.015, 1e-9) << "5 ms of 33 are computing";
  estimator.Observe(kFirst, 10, 10, milliseconds(50));
  estimator.NoteDelivery(kFirst, milliseconds(6), 1);
  EXPECT_NEAR(estimator.TransferSeconds(kFirst), 0.005, 1e-9) << "measured on an idle thread";
  EXPECT_EQ(estimator.DoubtfulTransferSeconds(kFirst), 0);
}

TEST_F(TimingEstimatorTest, AWorkerThatWaitsForMessagesDoesNotWaitForData) {
  estimator.SetRoundTrip(kFirst, milliseconds(40));
  estimator.NoteDelivery(kFirst, milliseconds(55), 1);
  estimator.Observe(kFirst, 10, 10, milliseconds(50));
  estimator.NoteThroughput(kFirst, 10, milliseconds(200));
  EXPECT_EQ(estimator.TransferSeconds(kFirst), 0) << "two tasks for each round trip";
}

TEST_F(TimingEstimatorTest, DeliveriesFasterThanARoundTripOrOfNothingAreNoFault) {
  estimator.NoteDelivery(kFirst, milliseconds(-5), 0);
  estimator.NoteThroughput(kFirst, 0, milliseconds(-5));
  EXPECT_EQ(estimator.DeliveryTime(kFirst), Duration(milliseconds(1)));
  EXPECT_EQ(estimator.TransferSeconds(kFirst), 0);
}

// Worker 0 runs the short half of the tasks first, worker 1 the long half; both have the speed 1.
TEST(EstimatorOfUnknownCosts, CountsTasksByTheTrendOverTheirIndex) {
  const model::UnitCosts costs(100);
  TimingEstimator::Options options;
  options.costs = &costs;
  TimingEstimator estimator(options);
  for (int n = 0; n < 2; ++n) estimator.AddWorker(1, 1);
  const auto run = [&](WorkerId worker, model::TaskIndex index) {
    const Duration busy = milliseconds(30 + 10 * index);
    estimator.ObserveRange(worker, {index, index + 1}, busy);
    estimator.Observe(worker, 1, 1, busy, static_cast<double>(index) + 0.5);
  };
  for (model::TaskIndex i = 0; i < 20; ++i) {
    run({0}, i);
    run({1}, 80 + i);
  }
  ASSERT_TRUE(estimator.HasTrend());
  EXPECT_NEAR(estimator.RelativeCost(100) / estimator.RelativeCost(50), 103.0 / 53, 0.1);
  EXPECT_NEAR(estimator.Rate({0}) / estimator.Rate({1}), 1, 0.15) << "not seven times as fast";
  EXPECT_LT(estimator.Uncertainty({0}).task, 0.1);
  // A task that runs on for twice its time makes the worker look slower, whatever its index is.
  const double before = estimator.Rate({1});
  estimator.ObserveUnfinished({1}, 1, milliseconds(2 * 1030), 99.5);
  EXPECT_LT(estimator.Rate({1}), before);
}

TEST(EstimatorOfUnknownCosts, DeclaredCostsHaveNoTrend) {
  const model::PrefixCosts costs(std::vector<model::Cost>(100, 5));
  TimingEstimator::Options options;
  options.costs = &costs;
  TimingEstimator estimator(options);
  estimator.AddWorker(1, 1);
  for (model::TaskIndex i = 0; i < 40; ++i) {
    estimator.ObserveRange({0}, {i, i + 1}, milliseconds(10 + i));
    estimator.Observe({0}, 1, 5, milliseconds(10 + i), static_cast<double>(i) + 0.5);
  }
  EXPECT_EQ(estimator.Trend(), IndexTrend::Direction::kRising);
  EXPECT_FALSE(estimator.HasTrend());
}

TEST(TimingEstimator, TheFastestLinkIsThatOfAnUndisturbedTransfer) {
  TimingEstimator estimator{TimingEstimator::Options{}};
  estimator.AddWorker(1, 1);
  const WorkerId worker{0};
  EXPECT_EQ(estimator.FastestLink(worker), 0);
  EXPECT_EQ(estimator.ShortestFetch(worker), 0);
  // 1 MB for each task: in 2 s beside others, in 0.5 s alone.
  for (int n = 0; n < 20; ++n) estimator.NoteTransfer(worker, {1'000'000, seconds(2)}, 1);
  EXPECT_DOUBLE_EQ(estimator.FastestLink(worker), 500'000);
  EXPECT_NEAR(estimator.ShortestFetch(worker), 2, 1e-9);
  estimator.NoteTransfer(worker, {1'000'000, milliseconds(500)}, 1);
  estimator.NoteTransfer(worker, {1'000'000, seconds(2)}, 1);
  EXPECT_DOUBLE_EQ(estimator.FastestLink(worker), 2'000'000);
  EXPECT_NEAR(estimator.ShortestFetch(worker), 0.5, 1e-9);
}

TEST(TimingEstimator, OneReportMayHaveTheFilesOfTheNextTask) {
  TimingEstimator estimator{TimingEstimator::Options{}};
  estimator.AddWorker(1, 1);
  for (int n = 0; n < 20; ++n) {
    estimator.NoteTransfer({0}, {2'000'000, seconds(1)}, 1);
    estimator.NoteTransfer({0}, {}, 1);
  }
  EXPECT_NEAR(estimator.ShortestFetch({0}), 0.5, 0.02);
}

TEST(TimingEstimator, ShortTransfersCountTogether) {
  TimingEstimator estimator{TimingEstimator::Options{}};
  estimator.AddWorker(1, 1);
  estimator.NoteTransfer({0}, {1'000'000, milliseconds(1)}, 1);
  EXPECT_EQ(estimator.FastestLink({0}), 0) << "it may have been in a buffer";
  estimator.NoteTransfer({0}, {1'000'000, milliseconds(99)}, 1);
  EXPECT_DOUBLE_EQ(estimator.FastestLink({0}), 20'000'000);
}

}  // namespace
}  // namespace evenkeel::scheduling
