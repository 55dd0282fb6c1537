// The loop loses no worker through its own stalls, slow and failing journals, or new versions of
// its job.
#include "coordinator/coordinator_loop.h"

#include "tests/unit/coordinator/loop_fixture.h"

namespace evenkeel::coordinator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class CoordinatorLoopTest : public LoopFixture {
 protected:
  /// The job with `tasks` tasks; how it is appended to is up to the test.
  [[nodiscard]] VersionRead VersionOf(std::int64_t tasks) const {
    auto next = std::make_shared<const JobVersion>(spec, std::make_shared<FakeWorkload>(tasks));
    return {next, *IdentityOf(*next)};
  }
};

TEST_F(CoordinatorLoopTest, RunsAJobToItsEnd) {
  Start(60, 3);
  EXPECT_LT(RunToTheEnd(seconds(60)), milliseconds(10'500));
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_EQ(end.progress.tasks_completed, 60);
  EXPECT_EQ(end.version, version);
  EXPECT_EQ(journal.results, 60);
  EXPECT_TRUE(Lost().empty());
}

TEST_F(CoordinatorLoopTest, AWorkerThatIsSilentForALeaseIsLost) {
  Start(600, 3);
  RunFor(seconds(5));
  Kill(1);
  RunFor(milliseconds(9'000));
  EXPECT_TRUE(Lost().empty());
  RunFor(milliseconds(3'000));
  EXPECT_EQ(Lost(), std::vector<std::string>{"node-1"});
}

TEST_F(CoordinatorLoopTest, AStopOfThirtySecondsExpiresNoLease) {
  Start(300, 3);  // 50 s
  RunFor(seconds(5));
  StopLoop(seconds(30));
  EXPECT_LT(RunToTheEnd(seconds(200)), seconds(81));
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_TRUE(Lost().empty());
}

TEST_F(CoordinatorLoopTest, AStopExtendsLeasesByItsLengthAndNoMore) {
  Start(600, 3);
  RunFor(seconds(5));
  Kill(1);
  RunFor(seconds(5));
  StopLoop(seconds(30));
  RunFor(seconds(30));
  RunFor(seconds(4));
  EXPECT_TRUE(Lost().empty());
  RunFor(seconds(3));
  EXPECT_EQ(Lost(), std::vector<std::string>{"node-1"});
}

TEST_F(CoordinatorLoopTest, ManyShortStopsExpireNoLease) {
  spec.balancing.lease = seconds(3);
  Start(300, 3);
  for (int i = 0; i < 20; ++i) {
    StopLoop(milliseconds(2'700));
    RunFor(seconds(3));
  }
  RunToTheEnd(seconds(300));
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_TRUE(Lost().empty());
}

TEST_F(CoordinatorLoopTest, ACommitOfTwentySecondsHoldsBackResultsButNotHeartbeats) {
  max_pending_bytes = 1000;
  Start(300, 3);
  RunFor(seconds(5));
  journal.commit_time = seconds(20);
  RunFor(seconds(40));
  journal.commit_time = milliseconds(1);
  RunToTheEnd(seconds(300));
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_TRUE(Lost().empty());
  EXPECT_LE(journal.largest_backlog, 2'000U);
}

TEST_F(CoordinatorLoopTest, AReportThatIsHeldBackRenewsTheLease) {
  spec.balancing.lease = seconds(1);
  max_pending_bytes = 1;
  task_time = milliseconds(50);  // each report carries results
  Start(3000, 3);
  RunFor(seconds(5));
  journal.commit_time = seconds(5);
  RunFor(seconds(20));
  journal.commit_time = milliseconds(1);
  RunToTheEnd(seconds(300));
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_TRUE(Lost().empty());
}

TEST_F(CoordinatorLoopTest, ASlowJournalWithRoomCostsNoTime) {
  Start(300, 3);  // 50 s
  RunFor(seconds(5));
  journal.commit_time = seconds(20);
  RunFor(seconds(20));
  journal.commit_time = milliseconds(1);
  EXPECT_LT(RunToTheEnd(seconds(300)), seconds(51));
  EXPECT_TRUE(Lost().empty());
}

TEST_F(CoordinatorLoopTest, AWorkerThatDiesWhileResultsAreHeldBackIsLost) {
  max_pending_bytes = 1;
  Start(300, 3);
  RunFor(seconds(5));
  journal.commit_time = seconds(100);
  RunFor(seconds(3));
  Kill(2);
  RunFor(seconds(12));
  EXPECT_EQ(Lost(), std::vector<std::string>{"node-2"});
}

TEST_F(CoordinatorLoopTest, AJournalThatFailsEndsTheRun) {
  Start(300, 3);
  RunFor(seconds(5));
  journal.write_error = Error{ErrorCode::kStorageFull, "no room"};
  RunToTheEnd(seconds(10));
  EXPECT_EQ(end.state, model::JobState::kFailed);
  EXPECT_EQ(end.reason, "no room");
  ASSERT_TRUE(end.journal_error.has_value());
  EXPECT_EQ(end.journal_error->code, ErrorCode::kStorageFull);
}

TEST_F(CoordinatorLoopTest, AnInterruptDrainsTheRun) {
  Start(300, 3);
  RunFor(seconds(5));
  inbox.Post(InterruptRequested{"stop"});
  RunToTheEnd(seconds(2));
  EXPECT_EQ(end.state, model::JobState::kInterrupted);
  EXPECT_EQ(end.reason, "stop");
}

TEST_F(CoordinatorLoopTest, AppendedTasksAreRunOnceTheJournalHasThem) {
  Start(60, 3);
  RunFor(seconds(2));
  journal.commit_time = seconds(6);
  inbox.Post(VersionRead{VersionOf(120)});
  RunFor(seconds(2));
  EXPECT_EQ(progress.latest.tasks_total, 60);
  journal.commit_time = milliseconds(1);
  EXPECT_LT(RunToTheEnd(seconds(100)), seconds(21));
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_EQ(end.version->TaskCount(), 120);
  EXPECT_EQ(journal.results, 120);
  EXPECT_TRUE(Lost().empty());
}

// The journal has more tasks from the moment it stores the version: complete is only who ran them.
TEST_F(CoordinatorLoopTest, AJobDoesNotCompleteWhileTasksAreBeingAppended) {
  Start(3, 3);
  journal.commit_time = seconds(5);  // all results are in one commit
  RunUntil([this] { return journal.results == 3; }, seconds(5));
  inbox.Post(VersionRead{VersionOf(6)});
  RunToTheEnd(seconds(60));
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_EQ(end.version->TaskCount(), 6);
  EXPECT_EQ(end.progress.tasks_completed, 6);
}

TEST_F(CoordinatorLoopTest, AVersionThatTheJournalRefusesIsIgnored) {
  Start(60, 3);
  journal.version_errors = {Error{ErrorCode::kConflict, "another job"}};
  inbox.Post(VersionRead{VersionOf(120)});
  RunToTheEnd(seconds(100));
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_EQ(end.version->TaskCount(), 60);
}

TEST_F(CoordinatorLoopTest, AVersionIsStoredLaterIfTheDiskWasFull) {
  Start(60, 3);
  journal.version_errors = {Error{ErrorCode::kStorageFull, "no room"},
                            Error{ErrorCode::kStorageFull, "no room"}};
  inbox.Post(VersionRead{VersionOf(120)});
  RunToTheEnd(seconds(100));
  EXPECT_EQ(end.version->TaskCount(), 120);
  EXPECT_EQ(end.progress.tasks_completed, 120);
}

TEST_F(CoordinatorLoopTest, OfTwoVersionsInARowTheLaterOneIsRun) {
  Start(60, 3);
  journal.commit_time = seconds(1);
  inbox.Post(VersionRead{VersionOf(90)});
  inbox.Post(VersionRead{VersionOf(120)});
  RunToTheEnd(seconds(100));
  EXPECT_EQ(end.version->TaskCount(), 120);
}

TEST_F(CoordinatorLoopTest, AJobWithoutTasksIsCompleteAtOnce) {
  Start(0, 2);
  EXPECT_EQ(RunToTheEnd(seconds(1)), Duration::zero());
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_EQ(end.progress.tasks_total, 0);
}

TEST_F(CoordinatorLoopTest, TheDeadlineFailsTheJob) {
  deadline = clock.now + seconds(7);
  Start(300, 3);
  EXPECT_EQ(RunToTheEnd(seconds(20)), seconds(7));
  EXPECT_EQ(end.state, model::JobState::kFailed);
  EXPECT_EQ(end.reason, "too late");
}

TEST_F(CoordinatorLoopTest, ShowsWhatHappens) {
  Start(6, 3);
  RunToTheEnd(seconds(20));
  std::int64_t counted = 0;
  for (const RunNotice& notice : progress.notices) {
    const auto* record = std::get_if<model::ResultRecord>(&notice);
    if (record == nullptr) continue;
    counted += record->range.Size();
    EXPECT_EQ(record->results.Count(), 0) << "bytes of results are not for those who watch";
  }
  EXPECT_EQ(counted, 6);
}

/// Few bytes of results fit into the inbox.
class FullInboxTest : public LoopFixture {
 protected:
  FullInboxTest() : LoopFixture({4096, 500}) {}
};

TEST_F(FullInboxTest, TimeInWhichStreamsAreNotReadExpiresNoLease) {
  max_pending_bytes = 1;
  Start(300, 3);
  RunFor(seconds(5));
  journal.commit_time = seconds(60);
  RunFor(seconds(50));
  EXPECT_GE(unread_streams, 1);
  journal.commit_time = milliseconds(1);
  RunToTheEnd(seconds(300));
  EXPECT_EQ(end.state, model::JobState::kComplete);
  EXPECT_TRUE(Lost().empty());
}

}  // namespace
}  // namespace evenkeel::coordinator
