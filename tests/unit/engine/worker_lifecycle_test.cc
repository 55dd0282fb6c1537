#include "core/engine/worker_lifecycle.h"

#include "core/engine/progress_reporter.h"
#include "tests/unit/engine/engine_parts.h"

namespace evenkeel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Ranges = std::vector<model::IndexRange>;

// ---- LeaseReclaimer ----

class LeaseReclaimerTest : public EngineParts {};

TEST_F(LeaseReclaimerTest, TasksOfAProcessThatIsGoneAreUnassigned) {
  Connect(0);
  Lease({0, 3}, 0);
  reclaimer.ReclaimAll({0}, now);
  EXPECT_TRUE(IsFree(ledger.StateOf(0)));
  EXPECT_EQ(ledger.OutstandingTasks({0}), 0);
  ledger.CheckInvariants();
}

TEST_F(LeaseReclaimerTest, ARetryIsDueAtOnceAndASuspectWaitsForIsolation) {
  Connect(0);
  driver.TakeAway({4, 6});
  ledger.Withhold({4, 6});
  ledger.LeaseWithheld({4, 6}, {0}, GrantId{9}, now);
  for (int death = 0; death < 2; ++death) (void)isolation.RecordDeath({{5, 6}}, Death::kProcess);
  reclaimer.ReclaimAll({0}, now);
  EXPECT_EQ(retries.TakeDue(), 4);
  EXPECT_FALSE(retries.TakeDue()) << "task 5 is no retry";
  EXPECT_EQ(isolation.TakeNext({0}), (model::IndexRange{5, 6}));
}

TEST_F(LeaseReclaimerTest, AnUnassignedSuspectIsWithheldAndNotTheStrategys) {
  Connect(0);
  Lease({4, 7}, 0);
  for (int death = 0; death < 2; ++death) (void)isolation.RecordDeath({{5, 6}}, Death::kProcess);
  reclaimer.ReclaimAll({0}, now);
  EXPECT_TRUE(IsFree(ledger.StateOf(4)));
  EXPECT_EQ(ledger.StateOf(5), TaskState::kWithheld);
  EXPECT_TRUE(IsFree(ledger.StateOf(6)));
  ledger.CheckInvariants();
}

TEST_F(LeaseReclaimerTest, OnlyLeasesUnderTheNamedGrantAreGivenBack) {
  Connect(0);
  const GrantId grant = Lease({0, 4}, 0);
  const GrantId other{grant.value + 100};
  EXPECT_EQ(reclaimer.ReclaimGivenBack({0}, {{other, {0, 4}}}, now), 0);
  EXPECT_EQ(reclaimer.ReclaimGivenBack({1}, {{grant, {0, 4}}}, now), 0) << "another worker's";
  EXPECT_EQ(reclaimer.ReclaimGivenBack({0}, {{grant, {2, kTasks + 5}}}, now), 2);
  EXPECT_EQ(ledger.Leased({0}).Ranges(), (Ranges{{0, 2}}));
  ledger.CheckInvariants();
}

TEST_F(LeaseReclaimerTest, WhatAProcessStillHoldsStaysLeased) {
  Connect(0);
  Lease({0, 4}, 0);
  reclaimer.ReclaimNotHeld({0}, model::RangeSet({1, 2}), now);
  EXPECT_EQ(ledger.Leased({0}).Ranges(), (Ranges{{1, 2}}));
  ledger.CheckInvariants();
}

// ---- WorkerLifecycle ----

class WorkerLifecycleTest : public EngineParts {
 protected:
  bool Admit(StreamId stream, const Hello& hello) { return lifecycle.Admit(stream, hello, now); }
};

TEST_F(WorkerLifecycleTest, AWorkerOfALaterCoordinatorChangesNothing) {
  Hello hello = HelloOf(0);
  hello.epoch = config.epoch + 1;
  EXPECT_FALSE(Admit(StreamId{1}, hello));
  EXPECT_TRUE(outbox.Take(now).empty());
  EXPECT_EQ(membership.FindStream(StreamId{1}), nullptr);
  hello.epoch = config.epoch;
  EXPECT_TRUE(Admit(StreamId{1}, hello));
}

TEST_F(WorkerLifecycleTest, ARefusedStreamIsClosed) {
  Hello hello = HelloOf(0);
  hello.workload = "other";
  EXPECT_TRUE(Admit(StreamId{1}, hello));
  const Effects effects = outbox.Take(now);
  EXPECT_EQ(Sent<Refusal>(effects, StreamId{1}).size(), 1U);
  EXPECT_EQ(Of<CloseStream>(effects).size(), 1U);
  EXPECT_EQ(membership.FindStream(StreamId{1}), nullptr);
}

TEST_F(WorkerLifecycleTest, TheSameProcessKeepsItsLeasesAndANewOneLosesThem) {
  Connect(0);
  const GrantId grant = Lease({0, 2}, 0);
  Hello back = HelloOf(0);
  back.held = {{grant, {0, 2}}};
  EXPECT_TRUE(Admit(StreamId{11}, back));
  EXPECT_EQ(ledger.Leased({0}).Ranges(), (Ranges{{0, 2}}));
  EXPECT_EQ(Of<CloseStream>(outbox.Take(now))[0].stream, StreamOf(0)) << "the older connection";
  EXPECT_TRUE(Admit(StreamId{12}, HelloOf(0, 2)));
  EXPECT_TRUE(IsFree(ledger.StateOf(0)));
  (void)outbox.Take(now);
}

TEST_F(WorkerLifecycleTest, HeldTasksCountOnceAndOnlyThoseOfTheJob) {
  Connect(0);
  Connect(1);
  const GrantId grant = Lease({0, 4}, 0);
  Lease({4, 6}, 1);
  (void)outbox.Take(now);
  Hello back = HelloOf(0);
  for (int repetition = 0; repetition < 1000; ++repetition) {
    back.held.push_back({grant, {0, 2}});
    back.held.push_back({grant, {1, kTasks + 1000}});
  }
  EXPECT_TRUE(Admit(StreamId{11}, back));
  EXPECT_EQ(ledger.Leased({0}).Ranges(), (Ranges{{0, 4}}));
  const Effects effects = outbox.Take(now);
  const auto cancelled = Sent<Cancel>(effects, StreamId{11});
  ASSERT_EQ(cancelled.size(), 1U);
  EXPECT_EQ(cancelled[0].ranges, (Ranges{{4, 6}})) << "they are another worker's";
  ledger.CheckInvariants();
}

TEST_F(WorkerLifecycleTest, ADeathIsOneOfAProcessAndNotOfItsNode) {
  Connect(0);
  Lease({0, 2}, 0);
  Hello rebooted = HelloOf(0, 2);
  rebooted.boot_id = "next boot";
  EXPECT_TRUE(Admit(StreamId{11}, rebooted));
  Lease({0, 2}, 0);
  Hello third = HelloOf(0, 3);
  third.boot_id = "next boot";
  now += seconds(1);
  EXPECT_TRUE(Admit(StreamId{12}, third));
  EXPECT_TRUE(isolation.Suspects().Empty()) << "one known death";
  Lease({0, 2}, 0);
  Hello fourth = HelloOf(0, 4);
  fourth.boot_id = "next boot";
  now += seconds(1);
  EXPECT_TRUE(Admit(StreamId{13}, fourth));
  EXPECT_EQ(isolation.Suspects().Ranges(), (Ranges{{0, 2}}));
  (void)outbox.Take(now);
}

TEST_F(WorkerLifecycleTest, ALeaseExpiresAfterItsLengthAndNoSooner) {
  Connect(0);
  Lease({0, 2}, 0);
  (void)outbox.Take(now);
  now += config.job.balancing.lease - Duration(1);
  membership.RenewLease({1}, now);
  membership.RenewLease({2}, now);
  lifecycle.ExpireLeases(now);
  EXPECT_FALSE(membership.At({0}).lost);
  now += Duration(1);
  lifecycle.ExpireLeases(now);
  EXPECT_TRUE(membership.At({0}).lost);
  EXPECT_FALSE(membership.At({1}).lost);
  EXPECT_FALSE(ledger.Connected({0}));
  EXPECT_TRUE(IsFree(ledger.StateOf(0)));
  EXPECT_EQ(Of<CloseStream>(outbox.Take(now)).size(), 1U);
}

TEST_F(WorkerLifecycleTest, AClosedStreamKeepsItsTasksForTheReconnectTimeout) {
  Connect(0);
  Lease({0, 2}, 0);
  (void)outbox.Take(now);
  lifecycle.OnStreamClosed(StreamOf(0), now);
  EXPECT_FALSE(ledger.Connected({0}));
  now += milliseconds(1499);
  lifecycle.ExpireLeases(now);
  EXPECT_EQ(ledger.StateOf(0), TaskState::kLeased);
  now += milliseconds(1);
  lifecycle.ExpireLeases(now);
  EXPECT_TRUE(IsFree(ledger.StateOf(0)));
  EXPECT_TRUE(membership.At({0}).absent);
  EXPECT_FALSE(membership.At({0}).lost) << "its lease goes on";
}

TEST_F(WorkerLifecycleTest, AWorkerThatComesBackDropsWhatOthersGot) {
  Connect(0);
  const GrantId grant = Lease({0, 3}, 0);
  lifecycle.Lose({0}, "silent", false, now);
  Connect(1);
  Lease({1, 2}, 1);
  (void)outbox.Take(now);
  Hello back = HelloOf(0);
  back.held = {{grant, {0, 3}}};
  EXPECT_TRUE(Admit(StreamId{11}, back));
  const auto cancels = Sent<Cancel>(outbox.Take(now), StreamId{11});
  ASSERT_EQ(cancels.size(), 1U);
  EXPECT_EQ(cancels[0].ranges, (Ranges{{1, 2}})) << "it may continue the others";
  EXPECT_LE(grant, cancels[0].last);
  EXPECT_FALSE(membership.At({0}).lost);
}

TEST_F(WorkerLifecycleTest, AProcessThatWasAbsentBeforeItWasLostIsStillKnownToHaveDied) {
  for (int process = 1; process <= 3; ++process) {
    ASSERT_TRUE(Admit(StreamId(10 + static_cast<std::uint64_t>(process)), HelloOf(0, process)));
    if (process == 3) break;
    Lease({0, 2}, 0);
    lifecycle.OnStreamClosed(StreamId(10 + static_cast<std::uint64_t>(process)), now);
    now += milliseconds(1500);
    lifecycle.ExpireLeases(now);
    EXPECT_TRUE(membership.At({0}).absent);
    lifecycle.Lose({0}, "silent", false, now);
  }
  EXPECT_EQ(isolation.Suspects().Ranges(), (Ranges{{0, 2}})) << "two deaths point at its tasks";
  (void)outbox.Take(now);
}

TEST_F(WorkerLifecycleTest, AnUnexpectedNodeJoinsWithTheMeanWeight) {
  Hello hello = HelloOf(5);
  EXPECT_TRUE(Admit(StreamId{6}, hello));
  ASSERT_EQ(membership.Size(), kNodes + 1);
  EXPECT_EQ(membership.At({kNodes}).ratio, 1.0);
  Decide();
  EXPECT_GT(ledger.OutstandingTasks({kNodes}), 0);
  (void)outbox.Take(now);
}

TEST_F(WorkerLifecycleTest, TheRoundTripIsOfTheStreamAndNotOfTheOneBefore) {
  Connect(0);
  membership.At({0}).round_trip.Add({StampOf(now), {}}, now + milliseconds(70));
  estimator.SetRoundTrip({0}, membership.At({0}).round_trip.Estimate());
  EXPECT_EQ(estimator.RoundTrip({0}), milliseconds(70));
  now += seconds(1);
  ASSERT_TRUE(Admit(StreamId{11}, HelloOf(0)));
  EXPECT_FALSE(membership.At({0}).round_trip.Estimate());
  EXPECT_EQ(estimator.RoundTrip({0}), config.round_trip);
  membership.At({0}).round_trip.Add({StampOf(now - Duration(1)), {}}, now);
  EXPECT_FALSE(membership.At({0}).round_trip.Estimate()) << "a stamp of the stream before";
}

// ---- ProgressReporter ----

class ProgressReporterTest : public EngineParts {
 protected:
  ProgressReporter reporter{{costs, estimator, ledger, membership, isolation, completion,
                             verification, driver, statistics}};
};

TEST_F(ProgressReporterTest, NothingIsPredictedBeforeARateIsKnownAndAWorkerConnected) {
  EXPECT_FALSE(reporter.PredictEnd(now));
  estimator.Observe({0}, 10, 10, seconds(5));
  EXPECT_FALSE(reporter.PredictEnd(now)) << "nobody is connected";
  Connect(0);
  EXPECT_TRUE(reporter.PredictEnd(now));
}

TEST_F(ProgressReporterTest, TheEndIsTheRestSharedByAllOrTheLongestQueue) {
  estimator.Observe({0}, 10, 10, seconds(5));
  estimator.Observe({1}, 10, 10, seconds(5));
  Connect(0);
  Connect(1);
  EXPECT_NEAR(ToSeconds(reporter.PredictEnd(now)->left), 5, 0.01) << "20 units at 4 a second";
  Lease({0, 16}, 0);
  EXPECT_NEAR(ToSeconds(reporter.PredictEnd(now)->left), 8, 0.01) << "16 units at 2 a second";
  (void)outbox.Take(now);
}

TEST_F(ProgressReporterTest, TellsTheCostOfTheJobAndOfItsLongestTask) {
  const model::PrefixCosts table({1, 7, 2});
  TaskLedger tasks(table);
  for (std::uint32_t i = 0; i < kNodes; ++i) tasks.AddWorker();
  const ProgressReporter of_table({table, estimator, tasks, membership, isolation, completion,
                                   verification, driver, statistics});
  EXPECT_EQ(of_table.Snapshot(now).cost_total, 10);
  EXPECT_EQ(of_table.Snapshot(now).cost_longest, 7);
}

TEST_F(ProgressReporterTest, CountsWhatIsDurableAsDone) {
  Connect(0);
  Lease({0, 5}, 0);
  intake.Apply({0}, DoneReport({0, 5}), now);
  (void)outbox.Take(now);
  EXPECT_EQ(reporter.Snapshot(now).tasks_completed, 0);
  EXPECT_NEAR(reporter.Snapshot(now).cost_done_ratio, 0.25, 1e-9);
  commits.OnDurable(BatchId{1}, now);
  (void)outbox.Take(now);
  const Progress progress = reporter.Snapshot(now);
  EXPECT_EQ(progress.tasks_completed, 5);
  EXPECT_TRUE(progress.nodes[0].connected);
  EXPECT_FALSE(progress.nodes[1].connected);
}

}  // namespace
}  // namespace evenkeel::engine
