// Tasks that kill the worker process that runs them.
#include "tests/unit/engine/coordinator_fixture.h"

namespace evenkeel::engine {
namespace {

using model::JobState;
using std::chrono::seconds;

class CoordinatorCrashesTest : public CoordinatorFixture {
 protected:
  CoordinatorCrashesTest() {
    config.job.balancing.strategy = model::StrategyName::kMasterSlave;
    config.job.task_policy.backoff_limit_per_task = 1;
    config.job.task_policy.max_failed_tasks = 1;
  }

  /// The node's process is gone; a new one connects, after `boots` reboots of the node.
  void Restart(std::size_t node, int boots = 0) {
    Note(coordinator().OnStreamClosed(StreamId{StreamOf(node)}, now));
    Wait(seconds(2));
    ConnectNext(node, boots);
  }
  void ConnectNext(std::size_t node, int boots = 0) {
    streams_[node] = ++last_stream_;
    boots_[node] += boots;
    Hello hello = HelloOf(node);
    hello.incarnation = Name(node) + "/" + std::to_string(last_stream_);
    hello.boot_id = "boot " + std::to_string(boots_[node]);
    Deliver(last_stream_, hello);
  }
  [[nodiscard]] std::uint64_t StreamOf(std::size_t node) { return streams_[node]; }

 private:
  std::map<std::size_t, std::uint64_t> streams_;
  std::map<std::size_t, int> boots_;
  std::uint64_t last_stream_ = 0;
};

// Before tasks were charged for deaths, task 0 went from node to node without end.
TEST_F(CoordinatorCrashesTest, ATaskThatKillsItsWorkersFailsForGoodAndTheJobGoesOn) {
  Start(4, 1);
  ConnectNext(0);
  Restart(0);
  Restart(0);  // a suspect now
  Restart(0);  // first charge
  ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}}));
  Restart(0);  // second charge: backoffLimitPerTask is 1
  ASSERT_EQ(Wanted<Persist>().size(), 1U);
  EXPECT_TRUE(Wanted<Persist>()[0].failures[0].final);
  for (const model::TaskIndex task : {1, 2, 3}) {
    ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{task, task + 1}}));
    Done(StreamOf(0), {task, task + 1});
  }
  AllDurable();
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
  EXPECT_EQ(Wanted<EndJob>()[0].state, JobState::kComplete);
  EXPECT_EQ(coordinator().CurrentProgress(now).failed_indexes, "0");
}

TEST_F(CoordinatorCrashesTest, TheSecondDeathMakesASuspectThatRunsAlone) {
  Start(4, 2);
  ConnectNext(0);
  ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}}));
  Restart(0);
  ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}})) << "one death is an accident";
  Restart(0);
  // It is the only worker, so it runs the suspect, and nothing else.
  EXPECT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}}));
  EXPECT_TRUE(Wanted<Persist>().empty()) << "deaths in company charge nothing";
  Done(StreamOf(0), {0, 1});
  EXPECT_EQ(Assigned(StreamOf(0)), (Ranges{{1, 2}})) << "cleared by its result";
}

TEST_F(CoordinatorCrashesTest, ADeathAloneIsChargedAsAFailedAttempt) {
  Start(4, 1);
  ConnectNext(0);
  Restart(0);
  Restart(0);
  Restart(0);
  const auto persisted = Wanted<Persist>();
  ASSERT_EQ(persisted.size(), 1U);
  ASSERT_EQ(persisted[0].failures.size(), 1U);
  EXPECT_EQ(persisted[0].failures[0].index, 0);
  EXPECT_EQ(persisted[0].failures[0].reason,
            "the worker process died while it ran this task alone");
  EXPECT_FALSE(persisted[0].failures[0].final);
}

// A coordinator that stood still reads the Hellos of processes that came and went meanwhile.
TEST_F(CoordinatorCrashesTest, AProcessThatWasReplacedBeforeItCouldRunChargesNothing) {
  Start(4, 1);
  ConnectNext(0);
  Restart(0);
  Restart(0);
  ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}}));
  for (int process = 0; process < 3; ++process) {
    ConnectNext(0);
    EXPECT_TRUE(Wanted<Persist>().empty());
    EXPECT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}}));
  }
}

TEST_F(CoordinatorCrashesTest, ATaskThatRebootsItsNodesFailsForGoodAndTheJobGoesOn) {
  Start(4, 1);
  ConnectNext(0);
  for (int boot = 0; boot < 4; ++boot) {  // a suspect after the third; the first alone is excused
    Restart(0, 1);
    EXPECT_TRUE(Wanted<Persist>().empty()) << boot;
    EXPECT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}})) << boot;
  }
  Restart(0, 1);
  ASSERT_EQ(Wanted<Persist>().size(), 1U);
  EXPECT_EQ(Wanted<Persist>()[0].failures[0].reason,
            "the node restarted while it ran this task alone");
  Restart(0, 1);
  ASSERT_EQ(Wanted<Persist>().size(), 1U);
  EXPECT_TRUE(Wanted<Persist>()[0].failures[0].final);
  EXPECT_EQ(Assigned(StreamOf(0)), (Ranges{{1, 2}}));
}

// The next process of a node may come long after others got the tasks of the one before.
TEST_F(CoordinatorCrashesTest, ADeathIsChargedAlsoIfAnotherNodeRunsTheTaskMeanwhile) {
  for (const int backoff_limit : {1, 0}) {
    config.job.task_policy.backoff_limit_per_task = backoff_limit;
    Start(1, 2);
    ConnectNext(0);
    Restart(0);
    Restart(0);
    ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}})) << "a suspect, alone";
    ConnectNext(1);
    Note(coordinator().OnStreamClosed(StreamId{StreamOf(0)}, now));
    Wait(seconds(2));
    EXPECT_TRUE(Assigned(StreamOf(1)).empty()) << "it may be dead, too";
    Deliver(StreamOf(1), Report{});
    ASSERT_EQ(Assigned(StreamOf(1)), (Ranges{{0, 1}}));
    ConnectNext(0);
    ASSERT_EQ(Wanted<Persist>().size(), 1U);
    const bool final = backoff_limit == 0;
    EXPECT_EQ(Wanted<Persist>()[0].failures[0].final, final);
    EXPECT_EQ(Sent<Cancel>(StreamOf(1)).size(), final ? 1U : 0U);
    AllDurable();
    EXPECT_EQ(coordinator().CurrentProgress(now).failed_indexes, final ? "0" : "");
  }
}

TEST_F(CoordinatorCrashesTest, ADrainedWorkerChargesNothing) {
  Start(4, 1);
  ConnectNext(0);
  for (int drain = 0; drain < 5; ++drain) {
    Deliver(StreamOf(0), Goodbye{});
    ConnectNext(0);
    EXPECT_TRUE(Wanted<Persist>().empty());
    EXPECT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}}));
  }
}

TEST_F(CoordinatorCrashesTest, AWorkerThatIsKilledWhileItDrainsChargesNothing) {
  Start(4, 1);
  ConnectNext(0);
  for (int drain = 0; drain < 5; ++drain) {
    Deliver(StreamOf(0), Report{{}, {}, true});
    Restart(0);
    EXPECT_TRUE(Wanted<Persist>().empty());
    EXPECT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}}));
  }
}

TEST_F(CoordinatorCrashesTest, ADrainingWorkerGetsNoMoreWork) {
  Start(4, 1);
  ConnectNext(0);
  Report report = DoneReport({0, 1});
  report.draining = true;
  Deliver(StreamOf(0), report);
  EXPECT_TRUE(Assigned(StreamOf(0)).empty());
}

TEST_F(CoordinatorCrashesTest, AProcessThatReconnectsChargesNothing) {
  Start(4, 1);
  ConnectNext(0);
  for (std::uint64_t stream = 10; stream < 15; ++stream) {
    Note(coordinator().OnStreamClosed(StreamId{stream == 10 ? StreamOf(0) : stream - 1}, now));
    Wait(seconds(2));
    Hello hello = HelloOf(0);
    hello.incarnation = "a/1";
    hello.boot_id = "boot 0";
    hello.epoch = 1;
    Deliver(stream, hello);
    EXPECT_TRUE(Wanted<Persist>().empty());
    EXPECT_EQ(Assigned(stream), (Ranges{{0, 1}}));
  }
}

TEST_F(CoordinatorCrashesTest, SuspectsOfARangeAreHalvedUntilTheOneIsFound) {
  config.job.balancing.master_slave.chunk_tasks = 8;
  Start(8, 1);
  ConnectNext(0);
  ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 8}}));
  Restart(0);
  Restart(0);
  ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 8}})) << "all eight alone";
  Restart(0);
  ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 4}}));
  Done(StreamOf(0), {0, 4});
  ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{4, 8}}));
  Restart(0);
  ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{4, 6}}));
}

TEST_F(CoordinatorCrashesTest, AWorkerWithASuspectGetsNoOtherWorkWhileOthersGoOn) {
  Start(40, 2);
  ConnectNext(0);
  Restart(0);
  Restart(0);
  ASSERT_EQ(Assigned(StreamOf(0)), (Ranges{{0, 1}}));
  ConnectNext(1);
  EXPECT_EQ(Assigned(StreamOf(1)), (Ranges{{1, 2}}));
  Done(StreamOf(1), {1, 2});
  EXPECT_EQ(Assigned(StreamOf(1)), (Ranges{{2, 3}}));
  EXPECT_TRUE(Assigned(StreamOf(0)).empty());
}

}  // namespace
}  // namespace evenkeel::engine
