// Tasks that failed before: where they are tried again, and what policies say of them.
#include "tests/unit/engine/coordinator_fixture.h"

namespace evenkeel::engine {
namespace {

using model::JobState;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Action = model::ExitCodeRule::Action;

class CoordinatorRetriesTest : public CoordinatorFixture {
 protected:
  void Exits(std::uint64_t stream, model::TaskIndex task, std::int32_t code) {
    Report report;
    report.failed.push_back(
        {task, "exit code", milliseconds(1), GrantOf(task), code, "said " + std::to_string(code)});
    Deliver(stream, report);
  }
  [[nodiscard]] std::vector<Grant> Grants(std::uint64_t stream) const {
    std::vector<Grant> grants;
    for (const Assign& assign : Sent<Assign>(stream)) {
      grants.insert(grants.end(), assign.grants.begin(), assign.grants.end());
    }
    return grants;
  }
  void ExpectEnd(JobState state, const std::string& reason) {
    ASSERT_EQ(Wanted<EndJob>().size(), 1U);
    EXPECT_EQ(Wanted<EndJob>()[0].state, state);
    EXPECT_EQ(Wanted<EndJob>()[0].reason, reason);
  }
};

/// Tasks whose processes were killed for lack of memory, or with their container.
class CoordinatorMemoryTest : public CoordinatorRetriesTest {
 protected:
  /// Nodes a, b, c, whose tasks have so many GiB each.
  void StartWith(std::int64_t tasks, const std::vector<std::int64_t>& gibibytes) {
    config.job.task_policy.backoff_limit_per_task = 0;
    config.job.task_policy.max_failed_tasks = 1;
    Start(tasks, gibibytes.size());
    for (std::size_t i = 0; i < gibibytes.size(); ++i) {
      Hello hello = HelloOf(i);
      hello.threads = 2;
      hello.task_memory_bytes = gibibytes[i] << 30;
      Deliver(i + 1, hello);
    }
  }
  void Ends(std::uint64_t stream, model::TaskIndex task, model::FailureCause cause) {
    Report report;
    report.failed.push_back(
        {task, "ended", milliseconds(1), GrantOf(task), std::nullopt, {}, cause});
    Deliver(stream, report);
  }
  void IsKilled(std::uint64_t stream, model::TaskIndex task) {
    Ends(stream, task, model::FailureCause::kOutOfMemory);
  }
  [[nodiscard]] model::FailureRecord LastFailure() const {
    return Wanted<Persist>().at(0).failures.at(0);
  }
};

TEST_F(CoordinatorMemoryTest, RunsAloneOnItsNodeThenWhereThereIsMostMemoryThenFails) {
  StartWith(40, {2, 1, 4});  // a has tasks 0 and 1, b 2 and 3, c 4 and 5
  IsKilled(1, 0);
  EXPECT_EQ(LastFailure().reason, "OutOfMemory: ended");
  EXPECT_FALSE(LastFailure().final);
  EXPECT_TRUE(Assigned(1).empty()) << "a waits for its other task";
  auto progress = coordinator().CurrentProgress(now);
  EXPECT_EQ(progress.alone.running, 0);
  EXPECT_EQ(progress.alone.waiting, 1);
  EXPECT_TRUE(progress.nodes[0].runs_alone) << "a is reserved";
  EXPECT_FALSE(progress.nodes[1].runs_alone);
  Done(1, {1, 2});
  EXPECT_EQ(Assigned(1), (Ranges{{0, 1}})) << "alone, although a has two threads";
  progress = coordinator().CurrentProgress(now);
  EXPECT_EQ(progress.alone.running, 1);
  EXPECT_EQ(progress.alone.waiting, 0);
  IsKilled(1, 0);
  EXPECT_FALSE(LastFailure().final);
  EXPECT_FALSE(Assigned(1).empty()) << "a runs other tasks";
  Done(3, {4, 6});
  EXPECT_EQ(Assigned(3), (Ranges{{0, 1}}));
  IsKilled(3, 0);
  EXPECT_TRUE(LastFailure().final);
  EXPECT_EQ(LastFailure().attempt, 3);
  EXPECT_EQ(LastFailure().reason, "OutOfMemory: ended");
  progress = coordinator().CurrentProgress(now);
  EXPECT_EQ(progress.failed_attempts.total, 3);
  EXPECT_EQ(progress.failed_attempts.out_of_memory, 3);
  EXPECT_EQ(progress.failed_attempts.latest, "task 0 on c: OutOfMemory: ended");
  EXPECT_EQ(progress.alone.running + progress.alone.waiting, 0) << "it has failed for good";
}

TEST_F(CoordinatorMemoryTest, AttemptsOfEarlierStartsCount) {
  config.failures = {{1, "b", "OutOfMemory: by \x80", 1, false, {}, {}},
                     {2, "a", "exit code 3", 1, false, 3, {}}};
  StartWith(4, {2, 2});
  const auto failed = coordinator().CurrentProgress(now).failed_attempts;
  EXPECT_EQ(failed.total, 2);
  EXPECT_EQ(failed.out_of_memory, 1);
  EXPECT_EQ(failed.latest, "task 2 on a: exit code 3");
}

TEST_F(CoordinatorMemoryTest, FailsAfterItRanAloneIfNoNodeHasMore) {
  StartWith(4, {2, 2});
  IsKilled(1, 0);
  Done(1, {1, 2});
  ASSERT_EQ(Assigned(1), (Ranges{{0, 1}}));
  IsKilled(1, 0);
  EXPECT_TRUE(LastFailure().final);
}

TEST_F(CoordinatorMemoryTest, WhatHasEnoughMemoryAloneIsNotCharged) {
  StartWith(4, {2});
  IsKilled(1, 0);
  Done(1, {1, 2});
  ASSERT_EQ(Assigned(1), (Ranges{{0, 1}}));
  Done(1, {0, 1});
  EXPECT_EQ(Assigned(1), (Ranges{{2, 3}, {3, 4}}));
  Done(1, {2, 4});
  AllDurable();
  ExpectEnd(JobState::kComplete, "");
}

TEST_F(CoordinatorMemoryTest, ItsNodeIsLostMeanwhile) {
  StartWith(6, {2, 1});
  IsKilled(1, 0);
  Note(coordinator().OnStreamClosed(StreamId{1}, now));
  Wait(seconds(2));
  Done(2, {2, 4});
  EXPECT_EQ(Assigned(2), (Ranges{{0, 1}}));
}

TEST_F(CoordinatorMemoryTest, RulesForExitCodesComeFirst) {
  config.job.task_policy.on_exit_codes = {{Action::kFailTask, true, {137}}};
  StartWith(4, {2});
  Report report;
  report.failed.push_back({0,
                           "ended by signal 9",
                           milliseconds(1),
                           GrantOf(0),
                           137,
                           {},
                           model::FailureCause::kOutOfMemory});
  Deliver(1, report);
  EXPECT_TRUE(LastFailure().final);
}

TEST_F(CoordinatorMemoryTest, ALostContainerChargesNoTaskThatDidNotRunAlone) {
  StartWith(4, {2});
  for (int i = 0; i < 2; ++i) {
    Ends(1, 0, model::FailureCause::kRunnerLost);
    EXPECT_TRUE(Wanted<Persist>().empty());
    Ends(1, 1, model::FailureCause::kRunnerLost);
    EXPECT_TRUE(Wanted<Persist>().empty());
  }
  // Both are suspects now, and run alone, one after the other.
  ASSERT_EQ(Assigned(1), (Ranges{{0, 1}}));
  Ends(1, 0, model::FailureCause::kRunnerLost);
  EXPECT_TRUE(LastFailure().final);
  EXPECT_EQ(LastFailure().reason, "ended this task alone");
  ASSERT_EQ(Assigned(1), (Ranges{{1, 2}}));
  Done(1, {1, 2});
  EXPECT_EQ(Assigned(1), (Ranges{{2, 3}, {3, 4}}));
}

/// Tasks 0 and 1 are suspects, because two containers ended while they ran on node a.
class CoordinatorContainerKillTest : public CoordinatorMemoryTest {
 protected:
  void StartWithSuspects(const std::vector<std::int64_t>& gibibytes) {
    StartWith(4, gibibytes);
    for (int i = 0; i < 2; ++i) {
      for (const model::TaskIndex task : {0, 1}) Loses(1, task, {10 * i, 10 * i + 9});
    }
  }
  /// The container ended while it ran the task, for so long by the clock of the node.
  void Loses(std::uint64_t stream, model::TaskIndex task, model::NodeSeconds ran) {
    Report report;
    report.failed.push_back({task,
                             "ended",
                             milliseconds(1),
                             GrantOf(task),
                             std::nullopt,
                             {},
                             model::FailureCause::kRunnerLost,
                             ran});
    Deliver(stream, report);
  }
  void OperatorReports(ContainerEnds ends) {
    Note(coordinator().OnContainerEnds(std::move(ends), now));
  }
  [[nodiscard]] bool NothingFailed() const { return Wanted<Persist>().empty(); }
};

constexpr const char* kKilledAlone =
    "OutOfMemory: the command container was killed while it ran this task alone";

TEST_F(CoordinatorContainerKillTest, TheOperatorReportsLater) {
  StartWithSuspects({2});
  OperatorReports({});
  Deliver(1, Report{});
  Loses(1, 0, {100, 110});
  EXPECT_TRUE(NothingFailed());
  Done(1, {1, 2});  // it ran alone next
  EXPECT_LE(coordinator().NextTimer(), now + LostRunners::kPatience);
  OperatorReports({{"a", {{105, true}}}});
  EXPECT_EQ(LastFailure().reason, kKilledAlone);
  EXPECT_FALSE(LastFailure().final) << "although backoffLimitPerTask is 0";
  OperatorReports({{"a", {{105, true}}}});
  EXPECT_TRUE(NothingFailed()) << "a report that is repeated";
  Done(1, {2, 4});
  ASSERT_EQ(Assigned(1), (Ranges{{0, 1}})) << "alone, on the same node";
  Loses(1, 0, {120, 130});
  EXPECT_TRUE(NothingFailed()) << "the report was of an earlier container";
  OperatorReports({{"a", {{130, true}}}});
  EXPECT_EQ(LastFailure().reason, kKilledAlone);
  EXPECT_TRUE(LastFailure().final) << "no node has more memory";
  EXPECT_EQ(LastFailure().attempt, 2);
}

TEST_F(CoordinatorContainerKillTest, TheOperatorReportsFirst) {
  StartWithSuspects({2});
  OperatorReports({{"a", {{110, true}}}});
  Loses(1, 0, {100, 110});
  EXPECT_EQ(LastFailure().reason, kKilledAlone);
  EXPECT_FALSE(LastFailure().final);
}

TEST_F(CoordinatorContainerKillTest, AKillIsNotWaitedForLongerThanThePatience) {
  StartWithSuspects({2});
  OperatorReports({{"a", {{99, true}}}, {"b", {{105, true}}}, {"of-no-worker", {{105, true}}}});
  Loses(1, 0, {100, 110});
  Wait(LostRunners::kPatience - milliseconds(1));
  EXPECT_TRUE(NothingFailed());
  Deliver(1, Report{});
  Wait(milliseconds(1));
  EXPECT_EQ(LastFailure().reason, "ended this task alone");
  EXPECT_TRUE(LastFailure().final);
  OperatorReports({{"a", {{105, true}}}});
  EXPECT_TRUE(NothingFailed()) << "the attempt was counted";
}

TEST_F(CoordinatorContainerKillTest, AnEndForAnotherReasonIsNotWaitedForAnyLonger) {
  StartWithSuspects({2});
  OperatorReports({});
  Loses(1, 0, {100, 110});
  EXPECT_TRUE(NothingFailed());
  OperatorReports({{"a", {{111, false}, {99, true}}}});
  EXPECT_EQ(LastFailure().reason, "ended this task alone");
  EXPECT_TRUE(LastFailure().final);
}

TEST_F(CoordinatorContainerKillTest, TheKubeletLearnsOfTheEndAfterTheWorker) {
  StartWithSuspects({2});
  OperatorReports({{"a", {{110 + LostRunners::kLatenessSeconds, true}, {120, false}}}});
  Loses(1, 0, {100, 110});
  EXPECT_EQ(LastFailure().reason, kKilledAlone);
}

TEST_F(CoordinatorContainerKillTest, ALaterEndIsNotTheCause) {
  StartWithSuspects({2});
  OperatorReports({});
  Loses(1, 0, {100, 110});
  OperatorReports({{"a", {{99, true}, {111 + LostRunners::kLatenessSeconds, true}}}});
  EXPECT_EQ(LastFailure().reason, "ended this task alone")
      << "the end itself is not known any more";
}

TEST_F(CoordinatorContainerKillTest, WithoutAnOperatorNothingIsWaitedFor) {
  StartWithSuspects({2});
  Loses(1, 0, {100, 110});
  EXPECT_EQ(LastFailure().reason, "ended this task alone");
  OperatorReports({{"a", {{105, true}}}});
  EXPECT_TRUE(NothingFailed());
}

TEST_F(CoordinatorContainerKillTest, AWorkerThatDoesNotSayWhenItRanIsNotWaitedFor) {
  StartWithSuspects({2});
  OperatorReports({{"a", {{105, true}}}});
  Ends(1, 0, model::FailureCause::kRunnerLost);
  EXPECT_EQ(LastFailure().reason, "ended this task alone");
}

TEST_F(CoordinatorContainerKillTest, AContainerWithSeveralTasksChargesNone) {
  StartWith(4, {2});
  OperatorReports({});
  Loses(1, 0, {100, 110});
  OperatorReports({{"a", {{109, true}}}});
  EXPECT_TRUE(NothingFailed());
  Loses(1, 1, {100, 110});
  EXPECT_TRUE(NothingFailed());
  OperatorReports({{"a", {{109, true}}}});
  EXPECT_TRUE(NothingFailed());
}

TEST_F(CoordinatorContainerKillTest, AReportAfterARestartOfTheCoordinatorCountsNothing) {
  config.epoch = 2;
  config.failures.push_back({0, "a", kKilledAlone, 1, false, {}, {}});
  StartWith(4, {2});
  OperatorReports({{"a", {{105, true}}}});
  EXPECT_TRUE(NothingFailed());
}

TEST_F(CoordinatorContainerKillTest, ItsNodeIsLostBeforeTheReport) {
  StartWithSuspects({2, 2});
  const std::uint64_t stream = Assigned(1) == Ranges{{0, 1}} ? 1 : 2;
  ASSERT_EQ(Assigned(stream), (Ranges{{0, 1}}));
  OperatorReports({});
  Loses(stream, 0, {100, 110});
  Note(coordinator().OnStreamClosed(StreamId{stream}, now));
  Wait(seconds(2));
  OperatorReports({{Name(stream - 1), {{105, true}}}});
  ASSERT_EQ(LastFailure().reason, kKilledAlone);
  const std::uint64_t other = 3 - stream;
  bool runs_elsewhere = false;
  for (model::TaskIndex task = 1; task < 4 && !runs_elsewhere; ++task) {
    Done(other, {task, task + 1});
    for (const auto range : Assigned(other)) {
      runs_elsewhere = runs_elsewhere || range == model::IndexRange{0, 1};
    }
  }
  EXPECT_TRUE(runs_elsewhere);
}

TEST_F(CoordinatorRetriesTest, EachAttemptIsOnAnotherNodeAndKnowsItsNumber) {
  Start(1, 3);
  for (std::size_t i = 0; i < 3; ++i) Connect(i + 1, i);
  Fails(1, 0);
  Wait(milliseconds(100));
  ASSERT_TRUE(Grants(1).empty());
  const std::uint64_t second = Grants(2).empty() ? 3 : 2;
  ASSERT_EQ(Grants(second).size(), 1U);
  EXPECT_EQ(Grants(second)[0].attempt, 1);
  Fails(second, 0);
  Wait(milliseconds(200));
  const std::uint64_t third = 5 - second;
  ASSERT_EQ(Grants(third).size(), 1U);
  EXPECT_EQ(Grants(third)[0].attempt, 2);
  // All have failed it now: anybody but the last one.
  Fails(third, 0);
  Wait(milliseconds(400));
  EXPECT_TRUE(Grants(third).empty());
  EXPECT_EQ(Grants(1).size() + Grants(second).size(), 1U);
}

TEST_F(CoordinatorRetriesTest, TheOnlyNodeTriesAgainItself) {
  Start(1, 1);
  Connect(1, 0);
  Fails(1, 0);
  Wait(milliseconds(100));
  EXPECT_EQ(Assigned(1), (Ranges{{0, 1}}));
}

TEST_F(CoordinatorRetriesTest, ANodeThatIsAwayIsWaitedForAsLongAsItMayBeBack) {
  Start(1, 2);
  Connect(1, 0);
  Connect(2, 1);
  Note(coordinator().OnStreamClosed(StreamId{2}, now));
  Fails(1, 0);
  Wait(seconds(5));
  Deliver(1, Report{});
  EXPECT_TRUE(Assigned(1).empty()) << "b may come back";
  Wait(seconds(6));
  EXPECT_EQ(Assigned(1), (Ranges{{0, 1}})) << "b is lost";
}

TEST_F(CoordinatorRetriesTest, ANodeThatHasNotComeIsWaitedForAsLongAsItMayStillCome) {
  Start(1, 2);
  Connect(1, 0);
  Fails(1, 0);
  Wait(seconds(1));
  Deliver(1, Report{});
  EXPECT_TRUE(Assigned(1).empty()) << "b may come";
  Connect(2, 1);
  EXPECT_EQ(Assigned(2), (Ranges{{0, 1}}));
}

TEST_F(CoordinatorRetriesTest, ALostNodeChargesNothingAndTheTaskStaysAwayFromWhereItFailed) {
  config.job.task_policy.backoff_limit_per_task = 1;
  Start(1, 3);
  for (std::size_t i = 0; i < 3; ++i) Connect(i + 1, i);
  Fails(1, 0);
  Wait(milliseconds(100));
  const std::uint64_t second = Grants(2).empty() ? 3 : 2;
  Deliver(second, Goodbye{});
  EXPECT_TRUE(Assigned(1).empty());
  EXPECT_EQ(Grants(5 - second).size(), 1U);
  EXPECT_EQ(Grants(5 - second)[0].attempt, 1);
}

TEST_F(CoordinatorRetriesTest, WhereTasksFailedIsKnownAfterARestart) {
  config.epoch = 2;
  config.failures = {{0, "a", "no", 1, false}};
  Start(1, 2);
  Connect(1, 0);
  Connect(2, 1);
  Wait(milliseconds(100));
  EXPECT_TRUE(Assigned(1).empty());
  ASSERT_EQ(Grants(2).size(), 1U);
  EXPECT_EQ(Grants(2)[0].attempt, 1);
}

TEST_F(CoordinatorRetriesTest, OnlyTheLastAttemptsRecordIsKept) {
  config.job.task_policy.backoff_limit_per_task = 1;
  Start(1, 1);
  Connect(1, 0);
  Exits(1, 0, 3);
  EXPECT_EQ(Wanted<Persist>()[0].failures[0].record, "");
  EXPECT_EQ(Wanted<Persist>()[0].failures[0].exit_code, 3);
  Wait(milliseconds(100));
  Exits(1, 0, 4);
  EXPECT_TRUE(Wanted<Persist>()[0].failures[0].final);
  EXPECT_EQ(Wanted<Persist>()[0].failures[0].record, "said 4");
}

TEST_F(CoordinatorRetriesTest, FailJobEndsTheJobAsSoonAsThatIsDurable) {
  config.job.task_policy.max_failed_tasks = 10;
  config.job.task_policy.on_exit_codes = {{Action::kFailJob, true, {42}}};
  Start(5, 1);
  Connect(1, 0);
  Exits(1, 0, 42);
  EXPECT_TRUE(Wanted<EndJob>().empty());
  AllDurable();
  ExpectEnd(JobState::kFailed,
            "task 0 ended with exit code 42 on a: FailJob by spec.taskPolicy.onExitCodes");
}

TEST_F(CoordinatorRetriesTest, FailJobIsRememberedByTheJournal) {
  config.job.task_policy.max_failed_tasks = 10;
  config.job.task_policy.on_exit_codes = {{Action::kFailJob, true, {42}}};
  config.failures = {{3, "b", "exit code 42", 1, true, 42}};
  Start(5, 1);
  ExpectEnd(JobState::kFailed,
            "task 3 ended with exit code 42 on b: FailJob by spec.taskPolicy.onExitCodes");
}

TEST_F(CoordinatorRetriesTest, IgnoredFailuresPauseLongerAndLonger) {
  config.job.task_policy.backoff_limit_per_task = 0;
  config.job.task_policy.on_exit_codes = {{Action::kIgnore, true, {75}}};
  Start(1, 1);
  Connect(1, 0);
  for (const int pause : {100, 200, 400}) {
    Exits(1, 0, 75);
    EXPECT_FALSE(Wanted<Persist>()[0].failures[0].final);
    Wait(milliseconds(pause - 1));
    EXPECT_TRUE(Assigned(1).empty());
    Wait(milliseconds(1));
    EXPECT_EQ(Assigned(1), (Ranges{{0, 1}}));
  }
}

TEST_F(CoordinatorRetriesTest, TheJobIsCompleteWhenEnoughTasksSucceeded) {
  config.job.task_policy.success.succeeded_count = 2;
  Start(5, 2);
  Connect(1, 0);
  Connect(2, 1);
  Done(1, {0, 1});
  AllDurable();
  EXPECT_TRUE(Wanted<EndJob>().empty());
  Done(2, {1, 2});
  Done(1, {2, 3});  // under way to the journal: part of the results, too
  Note(coordinator().OnDurable(BatchId{2}, now));
  EXPECT_TRUE(Wanted<EndJob>().empty());
  Done(2, {3, 4});  // too late
  EXPECT_TRUE(Wanted<Persist>().empty());
  AllDurable();
  ExpectEnd(JobState::kComplete, model::kSuccessPolicyMet);
  EXPECT_EQ(Sent<Finish>(1).size(), 1U);
  EXPECT_EQ(coordinator().CurrentProgress(now).tasks_completed, 3);
  EXPECT_EQ(coordinator().CurrentProgress(now).tasks_failed, 0);
}

TEST_F(CoordinatorRetriesTest, CertainTasksMayHaveToSucceed) {
  config.job.task_policy.success.succeeded_indexes = model::RangeSet(model::IndexRange{1, 3});
  Start(5, 1);
  Connect(1, 0);
  for (const model::TaskIndex task : {0, 1}) {
    Done(1, {task, task + 1});
    AllDurable();
    EXPECT_TRUE(Wanted<EndJob>().empty()) << task;
  }
  Done(1, {2, 3});
  AllDurable();
  ExpectEnd(JobState::kComplete, model::kSuccessPolicyMet);
}

TEST_F(CoordinatorRetriesTest, AJobWhoseSuccessPolicyCannotBeMetFails) {
  config.job.task_policy.backoff_limit_per_task = 0;
  config.job.task_policy.max_failed_tasks = 1;
  config.job.task_policy.success.succeeded_indexes = model::RangeSet(model::IndexRange{0, 1});
  Start(2, 1);
  Connect(1, 0);
  Fails(1, 0);
  Done(1, {1, 2});
  AllDurable();
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
  EXPECT_EQ(Wanted<EndJob>()[0].state, JobState::kFailed);
  EXPECT_NE(Wanted<EndJob>()[0].reason.find("successPolicy"), std::string::npos);
}

TEST_F(CoordinatorRetriesTest, AJobOfWhichAllFailedTookItsTime) {
  config.job.task_policy.backoff_limit_per_task = 0;
  Start(1, 1);
  Connect(1, 0);
  now += milliseconds(700);
  Fails(1, 0);
  AllDurable();
  ExpectEnd(JobState::kFailed, "1 task failed for good (0), maxFailedTasks is 0; task 0 on a: no");
  EXPECT_EQ(coordinator().CurrentProgress(now).last_durable, milliseconds(700));
}

TEST_F(CoordinatorRetriesTest, GrantsCarryTheInputsOfTheirTasks) {
  config.job.balancing.master_slave.chunk_tasks = 3;
  config.input_of = [](model::TaskIndex index) { return "in" + std::to_string(index); };
  Start(4, 2);
  Connect(1, 0);
  ASSERT_EQ(Grants(1).size(), 1U);
  EXPECT_EQ(Grants(1)[0].inputs.Of(2), "in2");
  Connect(2, 1);
  Fails(1, 1);
  Wait(milliseconds(100));
  ASSERT_EQ(Grants(2).size(), 1U);
  EXPECT_EQ(Grants(2)[0].inputs.Of(1), "in1");
}

}  // namespace
}  // namespace evenkeel::engine
