#include "core/engine/worker_lease.h"

#include <gtest/gtest.h>

namespace evenkeel::engine {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class WorkerLeaseTest : public testing::Test {
 protected:
  WorkerLeaseTest() {
    lease.OnHelloSent(now);
    lease.OnWelcome(false, seconds(4));
  }

  Instant now{seconds(50)};
  WorkerLease lease;
};

TEST(WorkerLease, TasksThatMayRunTwiceHaveNone) {
  WorkerLease lease;
  EXPECT_EQ(lease.End(), kNever);
  lease.OnHelloSent(Instant{seconds(1)});
  lease.OnWelcome(true, seconds(4));
  for (int i = 0; i < 100; ++i) lease.OnReportSent(Instant{seconds(2 + i)});
  EXPECT_EQ(lease.End(), kNever);
  EXPECT_EQ(lease.KeptTimes(), 0U);
}

TEST_F(WorkerLeaseTest, RunsFromTheTimeAtWhichTheLastHeardMessageWasSent) {
  EXPECT_EQ(lease.End(), now + seconds(4));
  EXPECT_FALSE(lease.IsOver(now + milliseconds(3999)));
  EXPECT_TRUE(lease.IsOver(now + seconds(4)));
  lease.OnReportSent(now + seconds(1));
  lease.OnReportSent(now + seconds(2));
  lease.OnReportSent(now + seconds(3));
  lease.OnReportsHeard(2);
  EXPECT_EQ(lease.End(), now + seconds(6));
  lease.OnReportsHeard(1);
  EXPECT_EQ(lease.End(), now + seconds(6)) << "an earlier one renews nothing";
  lease.OnReportsHeard(4);
  EXPECT_EQ(lease.End(), now + seconds(6)) << "a report that was not sent cannot have arrived";
  lease.OnReportsHeard(3);
  EXPECT_EQ(lease.End(), now + seconds(7));
}

TEST_F(WorkerLeaseTest, ReportsOfANewStreamAreCountedAnew) {
  lease.OnReportSent(now + seconds(1));
  lease.OnReportSent(now + seconds(2));
  lease.OnHelloSent(now + seconds(3));
  EXPECT_EQ(lease.End(), now + seconds(4)) << "the Hello may be lost";
  lease.OnReportsHeard(2);
  EXPECT_EQ(lease.End(), now + seconds(4));
  lease.OnWelcome(false, seconds(4));
  EXPECT_EQ(lease.End(), now + seconds(7));
}

TEST_F(WorkerLeaseTest, WhatWasHeardIsForgotten) {
  for (int i = 1; i <= 100'000; ++i) {
    now += milliseconds(10);
    lease.OnReportSent(now);
    lease.OnReportsHeard(static_cast<std::uint64_t>(i));
    ASSERT_LE(lease.KeptTimes(), 1U);
  }
  EXPECT_EQ(lease.End(), now + seconds(4));
}

TEST_F(WorkerLeaseTest, IsBoundedWhileNothingIsHeardAndNeverTooLong) {
  const Instant begun = now;
  for (int i = 1; i <= 1'000'000; ++i) lease.OnReportSent(begun + i * microseconds(20));
  EXPECT_LE(lease.KeptTimes(), 1100U);
  lease.OnReportsHeard(805'000);  // sent at 16.1 s, nearly a lease ago
  const Instant least = begun + milliseconds(20'100);
  EXPECT_LE(lease.End(), least);
  EXPECT_GE(lease.End(), least - milliseconds(5)) << "1/1024 of the lease less";
}

}  // namespace
}  // namespace evenkeel::engine
