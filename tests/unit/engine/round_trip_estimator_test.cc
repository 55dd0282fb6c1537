#include "core/engine/round_trip_estimator.h"

#include "tests/unit/engine/coordinator_fixture.h"

namespace evenkeel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RoundTripEstimatorTest : public testing::Test {
 protected:
  Instant now{seconds(100)};
  RoundTripEstimator estimator{Instant(seconds(90))};

  /// A worker answers a stamp that is `round_trip` + `held` old.
  void Sample(Duration round_trip, Duration held = {}) {
    estimator.Add({StampOf(now - round_trip - held), held}, now);
  }
};

TEST_F(RoundTripEstimatorTest, TheTimeForWhichTheWorkerHeldTheStampDoesNotCount) {
  EXPECT_FALSE(estimator.Estimate());
  Sample(milliseconds(40), seconds(3));
  EXPECT_EQ(estimator.Estimate(), milliseconds(40));
}

TEST_F(RoundTripEstimatorTest, AStallOrAQueueIsForgottenWithTheNextSample) {
  Sample(seconds(5));
  Sample(milliseconds(40));
  EXPECT_EQ(estimator.Estimate(), milliseconds(40));
  for (int n = 0; n < 100; ++n) Sample(seconds(2));
  EXPECT_EQ(estimator.Estimate(), milliseconds(40));
}

TEST_F(RoundTripEstimatorTest, ASlowerLinkIsFollowedAfterTwoWindows) {
  Sample(milliseconds(1));
  for (int n = 1; n < 2 * RoundTripEstimator::kWindow; ++n) Sample(milliseconds(70));
  EXPECT_EQ(estimator.Estimate(), milliseconds(1)) << "of the window before";
  Sample(milliseconds(70));
  EXPECT_EQ(estimator.Estimate(), milliseconds(70));
}

TEST_F(RoundTripEstimatorTest, WhatAnHonestWorkerCannotSendIsIgnored) {
  estimator.Add({}, now);                                                 // no echo
  estimator.Add({{}, seconds(1)}, now);                                   // no stamp
  estimator.Add({StampOf(now + Duration(1)), {}}, now);                   // of the future
  estimator.Add({StampOf(Instant(seconds(90)) - Duration(1)), {}}, now);  // before the stream
  estimator.Add({StampOf(now - seconds(1)), seconds(1) + Duration(1)}, now);
  estimator.Add({StampOf(now - seconds(1)), -Duration(1)}, now);
  estimator.Add({StampOf(now - seconds(1)), Duration::max()}, now);
  estimator.Add({ClockStamp{~std::uint64_t{0}}, {}}, now);
  EXPECT_FALSE(estimator.Estimate());
  estimator.Add({StampOf(Instant(seconds(90))), seconds(10)}, now);
  EXPECT_EQ(estimator.Estimate(), Duration::zero()) << "the bounds themselves are legal";
}

// ---- Through the coordinator ----

class RoundTripOfStreamTest : public CoordinatorFixture {
 protected:
  RoundTripOfStreamTest() {
    config.job.balancing.strategy = model::StrategyName::kTailStealing;
    config.round_trip = milliseconds(1);
  }
  /// A heartbeat that answers the Welcome or Acknowledge stamped `ago`.
  void Answer(std::uint64_t stream, Duration ago, Duration held = {}) {
    Report report;
    report.echo = {StampOf(now - ago), held};
    Deliver(stream, report);
  }
  /// Cost that the worker has leased ahead by now.
  [[nodiscard]] std::int64_t Leased(std::size_t node) {
    return coordinator().CurrentProgress(now).nodes[node].leased;
  }
  /// Reports all tasks of the worker's assignments but the last one, each of 10 ms.
  void Run(std::uint64_t stream, model::IndexRange range, Duration started_ago = {}) {
    Report report = DoneReport(range);
    report.completed[0].busy = milliseconds(10) * range.Size();
    report.completed[0].started_ago = started_ago;
    Deliver(stream, report);
  }
};

TEST_F(RoundTripOfStreamTest, MessagesAreStampedExceptAssign) {
  Start(100, 1);
  Connect(1, 0);
  ASSERT_EQ(Sent<Welcome>(1).size(), 1U);
  EXPECT_EQ(Sent<Welcome>(1)[0].stamp, StampOf(now));
  EXPECT_FALSE(Assigned(1).empty());
  now += milliseconds(10);
  Run(1, Assigned(1)[0]);
  AllDurable();
  ASSERT_EQ(Sent<Acknowledge>(1).size(), 1U);
  EXPECT_EQ(Sent<Acknowledge>(1)[0].stamp, StampOf(now));
}

// A worker that a message reaches late has to have work for longer.
TEST_F(RoundTripOfStreamTest, AWorkerFarAwayGetsItsNextGrantEarlier) {
  Start(400, 2);
  Connect(1, 0);
  const auto first = Assigned(1);
  Connect(2, 1);
  const auto second = Assigned(2);
  now += seconds(2);
  Answer(1, seconds(2), milliseconds(1999));  // 1 ms
  Answer(2, seconds(2), milliseconds(300));   // 1.7 s
  Run(1, first[0], seconds(2));
  Run(2, second[0], milliseconds(300));
  EXPECT_GT(Leased(0), 0);
  EXPECT_GT(Leased(1), 2 * Leased(0)) << "its window is 3 round trips, the other's a quarter of "
                                         "the time that is left";
}

}  // namespace
}  // namespace evenkeel::engine
