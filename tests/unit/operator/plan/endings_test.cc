#include <gtest/gtest.h>

#include "operator/plan/lifecycle.h"
#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

class Ending : public testing::Test {
 protected:
  Ending() {
    for (const char* name : {"a", "b"}) cluster_.AddNode(Pi4(name));
  }
  void TearDown() override { EXPECT_EQ(cluster_.violations, std::vector<std::string>{}); }

  void Start() { ASSERT_TRUE(cluster_.Rest()); }
  void End(cluster::CoordinatorState state) {
    cluster_.progress.state = state;
    ASSERT_TRUE(cluster_.Rest());
  }
  std::string Message(const std::string& type) {
    const auto* found = cluster::Find(cluster_.job.status.conditions, type);
    return found == nullptr ? "" : found->message;
  }

  ModelCluster cluster_;
};

TEST_F(Ending, ACompleteJobKeepsItsCoordinatorAndLetsWorkersEnd) {
  Start();
  cluster_.progress.tasks = {100, 100, 0};
  cluster_.progress.result = R"({"count":25997})";
  cluster_.progress.state = cluster::CoordinatorState::kComplete;
  const Plan plan = cluster_.Step();
  EXPECT_TRUE(plan.actions.empty());
  const cluster::JobStatus& status = cluster_.job.status;
  EXPECT_EQ(cluster_.Condition("Complete"), "True AllTasksDone");
  EXPECT_EQ(cluster_.Condition("Progressing"), "False AllTasksDone");
  EXPECT_EQ(status.state, "Complete");
  EXPECT_EQ(status.progress, "100%");
  EXPECT_EQ(status.completion_time, platform::WholeSeconds(cluster_.now));
  EXPECT_EQ(status.estimated_completion_time, std::nullopt);
  EXPECT_EQ(status.result.summary, R"({"count":25997})");
  EXPECT_EQ(status.result.location, "kubectl evenkeel results primes -n default");
  EXPECT_EQ(plan.events,
            (std::vector<Event>{{false, "AllTasksDone", "all results are durable", true}}));

  ASSERT_TRUE(cluster_.Rest());
  EXPECT_NE(cluster_.Coordinator(), nullptr);
  EXPECT_TRUE(cluster_.WorkerNodes().empty());  // these did not end by themselves
}

TEST_F(Ending, NothingIsRecreatedForAFinishedJob) {
  Start();
  End(cluster::CoordinatorState::kComplete);
  cluster_.DeletePod(cluster_.Coordinator()->name);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Coordinator(), nullptr);
  EXPECT_EQ(cluster_.Condition("Complete"), "True AllTasksDone");
}

TEST_F(Ending, AnOlderCoordinatorDoesNotOutliveTheJob) {
  Start();
  End(cluster::CoordinatorState::kComplete);
  cluster::PodView older = *cluster_.Coordinator();
  const std::string newest = older.name;
  older.name = "primes-coordinator-0";
  older.uid = "older";
  older.attempt = 0;
  cluster_.pods.push_back(older);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Pod("primes-coordinator-0"), nullptr);
  ASSERT_NE(cluster_.Pod(newest), nullptr);
  EXPECT_EQ(cluster_.Pod(newest)->deleted, std::nullopt);
}

TEST_F(Ending, FiguresOfAJobThatIsOverStay) {
  Start();
  cluster_.progress.tasks = {100, 100, 0};
  End(cluster::CoordinatorState::kComplete);
  cluster_.progress.tasks = {100, 99, 0};
  cluster_.Advance(std::chrono::minutes(5));
  EXPECT_FALSE(MakePlan(cluster_.Take()).status.has_value());
}

TEST_F(Ending, TooManyFailedTasksFailTheJob) {
  Start();
  cluster_.progress.tasks = {100, 50, 1};
  cluster_.progress.failed_indexes = "7";
  const std::string reason = "1 task failed for good (7), maxFailedTasks is 0; task 7 on pi3: no";
  cluster_.progress.reason = reason;
  cluster_.progress.cause = model::EndCause::kTasksFailed;
  End(cluster::CoordinatorState::kFailed);
  EXPECT_EQ(cluster_.Condition("Failed"), "True TasksFailed");
  EXPECT_EQ(Message("Failed"), reason);
  EXPECT_EQ(cluster_.job.status.failed_indexes, "7");
  EXPECT_EQ(cluster_.job.status.completion_time, std::nullopt);
  EXPECT_TRUE(cluster_.WorkerNodes().empty());
  EXPECT_NE(cluster_.Coordinator(), nullptr);  // serves what there is
}

TEST_F(Ending, TheReasonFollowsFromTheCauseAndNotFromItsWords) {
  const struct {
    model::EndCause cause;
    const char* want;
  } cases[] = {{model::EndCause::kDeadlineExceeded, "True DeadlineExceeded"},
               {model::EndCause::kTasksFailed, "True TasksFailed"},
               {model::EndCause::kResultsDiffer, "True ResultsDiffer"},
               {model::EndCause::kReduceFailed, "True ReduceFailed"},
               {model::EndCause::kOther, "True CoordinatorFailed"}};
  for (const auto& one : cases) {
    ModelCluster cluster;
    cluster.AddNode(Pi4("a"));
    ASSERT_TRUE(cluster.Rest());
    cluster.progress.tasks = {100, 50, 1};
    cluster.progress.reason = "task 7 on pi3: spec.taskPolicy.x: missed the deadline of the rack";
    cluster.progress.cause = one.cause;
    cluster.progress.state = cluster::CoordinatorState::kFailed;
    ASSERT_TRUE(cluster.Rest());
    EXPECT_EQ(cluster.Condition("Failed"), one.want);
  }
}

TEST_F(Ending, WorkersGoWhileTheReduceCommandRuns) {
  Start();
  cluster_.progress.tasks = {100, 100, 0};
  cluster_.progress.reduce_attempt = 2;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(cluster_.WorkerNodes().empty());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Reducing");
  EXPECT_EQ(Message("Progressing"), "all tasks are done; the reduce command runs, attempt 2");
  const Plan plan = MakePlan(cluster_.Take());
  ASSERT_TRUE(plan.coordinator.has_value());
  EXPECT_FALSE(plan.coordinator->suspended);
  cluster_.progress.reduce_attempt = 0;
  End(cluster::CoordinatorState::kComplete);
  EXPECT_EQ(cluster_.Condition("Complete"), "True AllTasksDone");
}

TEST_F(Ending, AnOperatorThatStartsWhileTheReduceCommandRunsMakesNoWorkers) {
  Start();
  cluster_.progress.reduce_attempt = 1;
  ASSERT_TRUE(cluster_.Rest());
  Snapshot seen = cluster_.Take();
  seen.report.reset();
  seen.settings.started = seen.now;
  EXPECT_TRUE(MakePlan(seen).actions.empty());
  seen.now += std::chrono::seconds(61);
  const Plan plan = MakePlan(seen);
  EXPECT_TRUE(plan.actions.empty());
  ASSERT_TRUE(plan.status.has_value());
  EXPECT_EQ(cluster::Find(plan.status->conditions, "Progressing")->reason,
            "CoordinatorUnreachable");
}

TEST_F(Ending, AJobIsSuspendedWhileTheReduceCommandRuns) {
  Start();
  cluster_.progress.reduce_attempt = 1;
  ASSERT_TRUE(cluster_.Rest());
  cluster_.ChangeSpec([](cluster::WeightedJob& job) { job.suspend = true; });
  const Plan plan = MakePlan(cluster_.Take());
  ASSERT_TRUE(plan.coordinator.has_value());
  EXPECT_TRUE(plan.coordinator->suspended);
}

TEST_F(Ending, TheDeadlineEndsTheReduceCommand) {
  cluster_.job.spec.active_deadline = std::chrono::seconds(60);
  Start();
  cluster_.progress.reduce_attempt = 1;
  ASSERT_TRUE(cluster_.Rest());
  cluster_.Advance(std::chrono::seconds(61));
  const Plan last = cluster_.Step();
  EXPECT_EQ(cluster_.Condition("Failed"), "True DeadlineExceeded");
}

TEST_F(Ending, ACoordinatorLostWithTheReduceCommandIsReplaced) {
  Start();
  cluster_.progress.reduce_attempt = 1;
  ASSERT_TRUE(cluster_.Rest());
  const std::string lost = cluster_.Coordinator()->name;
  cluster_.progress.reduce_attempt = 0;  // of the next one, until it has read its journal
  cluster_.DeletePod(lost);
  ASSERT_TRUE(cluster_.Rest());
  ASSERT_NE(cluster_.Coordinator(), nullptr);
  EXPECT_NE(cluster_.Coordinator()->name, lost);
}

TEST_F(Ending, TheDeadlineFailsTheJobAndKeepsWhatIsDone) {
  cluster_.job.spec.active_deadline = std::chrono::seconds(60);
  cluster_.Steps(4);
  const Plan plan = MakePlan(cluster_.Take());
  ASSERT_TRUE(plan.requeue_after.has_value());
  EXPECT_LE(*plan.requeue_after, std::chrono::seconds(60));
  cluster_.Advance(std::chrono::seconds(61));
  const Plan last = cluster_.Step();
  EXPECT_EQ(cluster_.Condition("Failed"), "True DeadlineExceeded");
  ASSERT_TRUE(last.coordinator.has_value());
  EXPECT_TRUE(last.coordinator->suspended);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(cluster_.WorkerNodes().empty());
  EXPECT_NE(cluster_.Coordinator(), nullptr);
}

TEST_F(Ending, TheDeadlineDrainsACoordinatorThatCannotWrite) {
  cluster_.job.spec.active_deadline = std::chrono::seconds(60);
  cluster_.Steps(4);
  cluster_.progress.state = cluster::CoordinatorState::kBlocked;
  cluster_.Advance(std::chrono::seconds(61));
  const Plan last = cluster_.Step();
  EXPECT_EQ(cluster_.Condition("Failed"), "True DeadlineExceeded");
  ASSERT_TRUE(last.coordinator.has_value());
  EXPECT_TRUE(last.coordinator->suspended);
}

TEST_F(Ending, ASpecThatCannotBeReadFailsAtOnce) {
  cluster_.job.invalid = "spec.balancing.strategy: must be one of TailStealing, is \"Foo\"";
  const Plan plan = cluster_.Step();
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(cluster_.Condition("Failed"), "True InvalidSpec");
  EXPECT_EQ(Message("Failed"), cluster_.job.invalid);
  ASSERT_EQ(plan.events.size(), 1U);
  EXPECT_TRUE(plan.events[0].warning);
  EXPECT_EQ(plan.events[0].reason, "InvalidSpec");
}

// Started by a later version of the operator, which could read it.
TEST_F(Ending, ARunningJobWhoseSpecCannotBeReadGoesOn) {
  Start();
  const std::size_t pods = cluster_.pods.size();
  cluster_.job.invalid = "spec.balancing.strategy: must be one of TailStealing, is \"Foo\"";
  const Plan plan = cluster_.Step();
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_TRUE(plan.coordinator.has_value());
  EXPECT_EQ(cluster_.Condition("Failed"), "none");
  EXPECT_EQ(cluster_.Condition("Progressing"), "False SpecNotReadable");
  EXPECT_TRUE(Message("Progressing").ends_with(cluster_.job.invalid));
  EXPECT_EQ(cluster_.pods.size(), pods);
  cluster_.progress.tasks = {100, 100, 0};
  cluster_.progress.state = cluster::CoordinatorState::kComplete;
  cluster_.Steps(2);
  EXPECT_EQ(cluster_.Condition("Complete").substr(0, 4), "True");
}

TEST_F(Ending, ACoordinatorThatRefusesTheJobFailsItWithItsTerminationMessage) {
  Start();
  cluster::PodView* pod = cluster_.Coordinator();
  pod->ready = false;
  pod->waiting_reason = "CrashLoopBackOff";
  pod->termination =
      cluster::Termination{2, "Error", "spec.workload.primes.end: is missing", cluster_.now};
  cluster_.Step();
  EXPECT_EQ(cluster_.Condition("Failed"), "True InvalidSpec");
  EXPECT_EQ(Message("Failed"), "spec.workload.primes.end: is missing");
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(cluster_.pods.empty());
}

TEST_F(Ending, TheJobIsDeletedWhenItsTimeToLiveIsOver) {
  Start();
  cluster_.job.ttl = std::chrono::seconds(600);
  cluster_.progress.state = cluster::CoordinatorState::kComplete;
  cluster_.Step();
  cluster_.Advance(std::chrono::seconds(599));
  EXPECT_FALSE(cluster_.Step().actions == std::vector<Action>{DeleteJob{}});
  cluster_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(cluster_.Step().actions, std::vector<Action>{DeleteJob{}});
}

TEST_F(Ending, ATimeToLiveOfZeroIsOverAtOnce) {
  Start();
  cluster_.job.ttl = Duration{0};
  cluster_.progress.state = cluster::CoordinatorState::kComplete;
  const Plan plan = MakePlan(cluster_.Take());
  EXPECT_EQ(plan.actions, std::vector<Action>{DeleteJob{}});
}

TEST_F(Ending, SuspendingAJobThatIsOverDoesNothing) {
  Start();
  End(cluster::CoordinatorState::kComplete);
  cluster_.ChangeSpec([](auto& job) { job.suspend = true; });
  const Plan plan = cluster_.Step();
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(cluster_.Condition("Suspended"), "none");
  EXPECT_EQ(cluster_.job.status.observed_generation, 2);
}

TEST_F(Ending, WithAClaimTheResultsAreFoundThere) {
  cluster_.job.result_claim = "out";
  Start();
  cluster_.progress.result = "{}";
  End(cluster::CoordinatorState::kComplete);
  EXPECT_EQ(cluster_.job.status.result.location,
            "persistentvolumeclaim/out, folder primes-01234567");
}

}  // namespace
}  // namespace evenkeel::plan
