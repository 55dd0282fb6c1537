#include "core/engine/withheld_placement.h"

#include "tests/unit/engine/engine_parts.h"

namespace evenkeel::engine {
namespace {

using std::chrono::milliseconds;
using Ranges = std::vector<model::IndexRange>;

class WithheldPlacementTest : public EngineParts {
 protected:
  /// The task has failed on that node and is due for a retry.
  void Due(model::TaskIndex task, std::uint32_t failed_on) {
    const model::IndexRange one{task, task + 1};
    if (IsFree(ledger.StateOf(task))) {
      driver.TakeAway(one);
      ledger.Withhold(one);
    }
    (void)retries.CountFailure(task, Name(failed_on), std::nullopt);
    retries.RetryNow(task);
  }
  /// Two deaths while these tasks were leased make them suspects that wait.
  void Suspect(model::IndexRange range) {
    EXPECT_FALSE(placement.RecordDeath({{range}, {}}, Death::kProcess));
    EXPECT_FALSE(placement.RecordDeath({{range}, {}}, Death::kProcess));
  }
  void Place() {
    placement.Place(now);
    placement.CheckInvariants();
    ledger.CheckInvariants();
  }
};

TEST_F(WithheldPlacementTest, ARetryGoesToTheWorkerThatWouldEndItFirst) {
  for (std::uint32_t i = 0; i < kNodes; ++i) Connect(i);
  estimator.Observe({0}, 1, 1, milliseconds(100));
  estimator.Observe({1}, 1, 1, milliseconds(300));
  estimator.Observe({2}, 1, 1, milliseconds(200));
  Due(5, 0);
  Place();
  EXPECT_TRUE(ledger.Leased({2}).Contains(5)) << "a has failed it, b is slower";
  const auto assigns = Sent<Assign>(outbox.Take(now), StreamOf(2));
  ASSERT_EQ(assigns.size(), 1U);
  EXPECT_EQ(assigns[0].grants[0].attempt, 1);
}

TEST_F(WithheldPlacementTest, ANodeThatHasNotFailedTheTaskIsWaitedForUntilItIsLost) {
  Connect(0);
  Due(5, 0);
  Place();
  EXPECT_EQ(ledger.StateOf(5), TaskState::kWithheld) << "b and c may still come";
  lifecycle.Lose({1}, "gone", true, now);
  lifecycle.Lose({2}, "gone", true, now);
  Place();
  EXPECT_TRUE(ledger.Leased({0}).Contains(5)) << "no other worker is there";
  (void)outbox.Take(now);
}

TEST_F(WithheldPlacementTest, AParkedRetryIsLeasedWhenAWorkerHasRoomAgain) {
  Connect(0);
  Connect(1);
  Connect(2);
  Due(5, 0);
  Due(6, 0);
  Lease({10, 12}, 1);
  Lease({12, 14}, 2);
  (void)outbox.Take(now);
  Place();
  EXPECT_EQ(ledger.StateOf(5), TaskState::kWithheld) << "b and c have two tasks a thread";
  (void)ledger.Complete({10, 11}, {1});
  Place();
  EXPECT_EQ(ledger.StateOf(5), TaskState::kWithheld) << "no change at b was reported";
  placement.Touch({1}, now);
  Place();
  EXPECT_TRUE(ledger.Leased({1}).Contains(5));
  EXPECT_EQ(ledger.StateOf(6), TaskState::kWithheld) << "there was room for one";
  (void)outbox.Take(now);
}

TEST_F(WithheldPlacementTest, AWorkerThatWillSoonBeReadyHasRoomForARetry) {
  for (std::uint32_t i = 0; i < kNodes; ++i) Connect(i);
  estimator.Observe({1}, 10, 10, milliseconds(20'000));  // two tasks take 4 s
  estimator.Observe({2}, 10, 10, milliseconds(14'000));
  Lease({10, 12}, 1);
  Due(5, 0);
  Lease({12, 14}, 2);
  (void)outbox.Take(now);
  Place();
  EXPECT_TRUE(ledger.Leased({2}).Contains(5)) << "ready within three report intervals";
  Due(6, 0);
  Place();
  EXPECT_EQ(ledger.StateOf(6), TaskState::kWithheld) << "b and now c have 4 s of work";
  (void)outbox.Take(now);
}

TEST_F(WithheldPlacementTest, ARetryWaitsForAWorkerOtherThanTheLastOneThatFailedIt) {
  Connect(0);
  Connect(1);
  lifecycle.Lose({2}, "gone", true, now);
  Due(5, 0);
  (void)retries.CountFailure(5, "b", std::nullopt);
  Lease({10, 12}, 0);
  (void)outbox.Take(now);
  Place();
  EXPECT_EQ(ledger.StateOf(5), TaskState::kWithheld) << "a has no room, and b failed it last";
}

TEST_F(WithheldPlacementTest, ChangesThatWereSkippedDoNotCountLater) {
  Connect(0);
  Connect(1);
  Due(5, 0);
  Lease({10, 12}, 1);
  Place();
  (void)ledger.Complete({10, 11}, {1});
  placement.Touch({1}, now);
  placement.Skip();
  Place();
  EXPECT_EQ(ledger.StateOf(5), TaskState::kWithheld);
  (void)outbox.Take(now);
}

TEST_F(WithheldPlacementTest, ASuspectRunsAloneOnAReservedWorker) {
  Connect(0);
  Connect(1);
  Suspect({4, 8});
  EXPECT_EQ(ledger.StateOf(4), TaskState::kWithheld);
  Lease({10, 11}, 0);
  (void)outbox.Take(now);
  Place();
  EXPECT_EQ(ledger.Leased({1}).Ranges(), (Ranges{{4, 8}})) << "b is ready before a";
  EXPECT_FALSE(ledger.Connected({1})) << "no strategy may lease to it";
  EXPECT_TRUE(ledger.Connected({0}));
  (void)ledger.Complete({4, 8}, {1});
  isolation.Clear({4, 8});
  Place();
  EXPECT_TRUE(ledger.Connected({1})) << "nothing waits: it is free again";
  (void)outbox.Take(now);
}

TEST_F(WithheldPlacementTest, AReservedWorkerGivesItsTasksBackFirst) {
  Connect(0);
  Lease({10, 11}, 0);
  Suspect({4, 5});
  (void)outbox.Take(now);
  Place();
  EXPECT_EQ(Sent<Recall>(outbox.Take(now), StreamOf(0)).size(), 1U);
  EXPECT_EQ(ledger.StateOf(4), TaskState::kWithheld);
  Due(7, 1);
  Place();
  EXPECT_EQ(ledger.StateOf(7), TaskState::kWithheld) << "a reserved worker gets no retry";
}

TEST_F(WithheldPlacementTest, AtMostOneInFourWorkersIsReserved) {
  for (std::uint32_t i = kNodes; i < 9; ++i) {
    (void)lifecycle.AddNode({Name(i)}, now);
    driver.AddWorker({i}, 1, now);
  }
  for (std::uint32_t i = 0; i < 9; ++i) Connect(i);
  for (const model::TaskIndex at : {0, 4, 8, 12}) Suspect({at, at + 1});
  Place();
  EXPECT_EQ(isolation.Reserved().size(), 2U);
  (void)outbox.Take(now);
}

TEST_F(WithheldPlacementTest, OnlyATaskThatRanAloneIsChargedWithADeath) {
  Suspect({4, 8});
  const CrashIsolation::Loss four{{{4, 8}}, {4, 8}};
  const CrashIsolation::Loss one{{{4, 5}}, {4, 5}};
  EXPECT_FALSE(placement.RecordDeath(four, Death::kProcess)) << "any of the four";
  EXPECT_EQ(placement.RecordDeath(one, Death::kProcess), 4);
  EXPECT_FALSE(placement.RecordDeath(one, Death::kNode)) << "it may have lost its power";
  EXPECT_EQ(placement.RecordDeath(one, Death::kNode), 4);
  Connect(1);
  Place();
  ASSERT_TRUE(ledger.Leased({1}).Contains(4));
  EXPECT_EQ(placement.RecordDeath(one, Death::kNode), 4) << "b runs it now";
  (void)ledger.Complete({4, 5}, {0});
  EXPECT_FALSE(placement.RecordDeath(one, Death::kNode)) << "it has a result from elsewhere";
  (void)outbox.Take(now);
}

TEST_F(WithheldPlacementTest, ASuspectRunsAloneOnANodeThatRebootedLeastOften) {
  for (std::uint32_t i = 0; i < kNodes; ++i) Connect(i);
  isolation.NoteReboot({0});
  isolation.NoteReboot({0});
  isolation.NoteReboot({1});
  Lease({10, 11}, 2);
  Suspect({4, 5});
  Place();
  EXPECT_TRUE(isolation.IsReserved({2})) << "it has work, and a and b have none";
  (void)outbox.Take(now);
}

TEST_F(WithheldPlacementTest, ASuspectIsLeasedInAnswerToAMessage) {
  Connect(0);
  Suspect({4, 5});
  now += milliseconds(1);
  Place();
  EXPECT_EQ(ledger.StateOf(4), TaskState::kWithheld) << "a may have died since";
  membership.RenewLease({0}, now);
  Place();
  EXPECT_TRUE(ledger.Leased({0}).Contains(4));
  (void)outbox.Take(now);
}

TEST_F(WithheldPlacementTest, ASuspectThatIsLeasedIsNotCopied) {
  Connect(0);
  Lease({4, 6}, 0);
  (void)outbox.Take(now);
  Suspect({4, 8});
  EXPECT_EQ(ledger.NotToBeCopied().Ranges(), (Ranges{{4, 6}}));
  EXPECT_EQ(ledger.StateOf(7), TaskState::kWithheld);
  ledger.CheckInvariants();
}

TEST_F(WithheldPlacementTest, ATaskWithAResultFromElsewhereIsNoSuspect) {
  (void)ledger.Complete({5, 6}, {0});
  Suspect({4, 8});
  EXPECT_EQ(isolation.Suspects().Ranges(), (std::vector<model::IndexRange>{{4, 5}, {6, 8}}));
  placement.CheckInvariants();
}

TEST_F(WithheldPlacementTest, ASuspectThatWasChargedRunsOnAnotherNode) {
  Connect(0);
  Connect(1);
  Suspect({4, 5});
  Place();
  ASSERT_TRUE(ledger.Leased({0}).Contains(4));
  (void)ledger.Release({0}, {4, 5}, nullptr);
  (void)retries.CountFailure(4, "a", {});
  isolation.Enqueue({4, 5});
  Place();
  EXPECT_TRUE(ledger.Leased({1}).Contains(4)) << "a is reserved and idle, but its process died";
  EXPECT_FALSE(isolation.IsReserved({0}));
}

TEST_F(WithheldPlacementTest, AWorkerThatDrainsTakesNoWork) {
  Connect(0);
  EXPECT_TRUE(ledger.Connected({0}));
  lifecycle.OnDraining({0});
  EXPECT_FALSE(ledger.Connected({0}));
  Due(5, 1);
  Place();
  EXPECT_EQ(ledger.StateOf(5), TaskState::kWithheld);
}

}  // namespace
}  // namespace evenkeel::engine
