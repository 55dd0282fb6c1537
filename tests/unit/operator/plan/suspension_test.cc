#include <gtest/gtest.h>

#include "operator/plan/lifecycle.h"
#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

class Suspending : public testing::Test {
 protected:
  Suspending() {
    for (const char* name : {"a", "b"}) cluster_.AddNode(Pi4(name));
  }
  void TearDown() override { EXPECT_EQ(cluster_.violations, std::vector<std::string>{}); }

  void Suspend(bool value) {
    cluster_.ChangeSpec([value](auto& job) { job.suspend = value; });
  }
  void Start() {
    ASSERT_TRUE(cluster_.Rest());
    ASSERT_EQ(cluster_.Condition("Progressing"), "True Running");
  }

  ModelCluster cluster_;
};

TEST_F(Suspending, AJobCreatedAsSuspendedStartsNothing) {
  Suspend(true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(cluster_.pods.empty());
  EXPECT_FALSE(cluster_.plan.has_value());
  EXPECT_EQ(cluster_.Condition("Suspended"), "True Suspended");
  EXPECT_EQ(cluster_.Condition("Progressing"), "False Suspended");
  EXPECT_EQ(cluster_.job.status.state, "Suspended");
  EXPECT_FALSE(cluster_.job.status.start_time.has_value());

  Suspend(false);
  Start();
  EXPECT_EQ(cluster_.Coordinator()->attempt, 1);
  EXPECT_EQ(cluster_.Condition("Suspended"), "False Resumed");
}

TEST_F(Suspending, WithAClaimItDrainsDeletesAndResumes) {
  cluster_.job.result_claim = "results";
  Start();
  Suspend(true);
  Plan plan = MakePlan(cluster_.Take());
  EXPECT_TRUE(plan.actions.empty());
  ASSERT_TRUE(plan.coordinator.has_value());
  EXPECT_TRUE(plan.coordinator->suspended);
  EXPECT_FALSE(plan.coordinator->wants_snapshot);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(cluster_.pods.empty());
  EXPECT_FALSE(cluster_.kept.has_value());
  EXPECT_EQ(cluster_.Condition("Suspended"), "True Suspended");
  EXPECT_FALSE(cluster_.job.status.start_time.has_value());
  EXPECT_TRUE(cluster_.job.status.workers.empty());

  cluster_.Advance(std::chrono::hours(1));
  Suspend(false);
  Start();
  EXPECT_EQ(cluster_.Coordinator()->attempt, 2);
  EXPECT_EQ(cluster_.plan->first_attempt, 2);
  ASSERT_TRUE(cluster_.job.status.start_time.has_value());
  EXPECT_GT(*cluster_.job.status.start_time, cluster_.job.meta.created + std::chrono::minutes(59));
}

TEST_F(Suspending, WithoutAClaimTheJournalIsKeptFirst) {
  Start();
  Suspend(true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(cluster_.pods.empty());
  ASSERT_TRUE(cluster_.kept.has_value());
  EXPECT_EQ(cluster_.kept->attempt, 1);

  Suspend(false);
  const Plan plan = MakePlan(cluster_.Take());
  bool with_snapshot = false;
  for (const Action& action : plan.actions) {
    const auto* creation = std::get_if<CreateCoordinator>(&action);
    with_snapshot = with_snapshot || (creation != nullptr && creation->pod.with_snapshot);
  }
  EXPECT_TRUE(with_snapshot);
  Start();  // and no word of having started again
  EXPECT_EQ(cluster_.Coordinator()->attempt, 2);

  // The second time it is the second coordinator's journal that counts.
  Suspend(true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.kept->attempt, 2);
}

TEST_F(Suspending, ATooLargeSnapshotIsRefusedAndTheJobContinues) {
  cluster_.snapshot_too_large = true;
  Start();
  Suspend(true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Suspended"), "False SnapshotTooLarge");
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  EXPECT_EQ(cluster_.Coordinator()->attempt, 1);
  EXPECT_EQ(cluster_.WorkerNodes().size(), 2U);

  // A restarted operator does not drain it again.
  cluster_.refusal.reset();
  const Plan plan = MakePlan(cluster_.Take());
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_FALSE(plan.coordinator && plan.coordinator->suspended);
  // Nothing but another wish does.
  Suspend(false);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Suspended"), "False Resumed");
}

TEST_F(Suspending, ANewSpecTriesARefusedSuspensionAgain) {
  cluster_.snapshot_too_large = true;
  Start();
  Suspend(true);
  ASSERT_TRUE(cluster_.Rest());
  ASSERT_EQ(cluster_.Condition("Suspended"), "False SnapshotTooLarge");
  cluster_.snapshot_too_large = false;
  cluster_.refusal.reset();
  cluster_.ChangeSpec([](auto& job) { job.spec.max_workers = 1; });
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Suspended"), "True Suspended");
}

TEST_F(Suspending, ACoordinatorThatNeverRanHasNothingToKeep) {
  cluster_.broken_images = {cluster_.settings.image};
  ASSERT_TRUE(cluster_.Rest());
  Suspend(true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(cluster_.pods.empty());
  EXPECT_EQ(cluster_.Condition("Suspended"), "True Suspended");
}

TEST_F(Suspending, WithoutAClaimAnUnreachableCoordinatorIsWaitedFor) {
  Start();
  cluster_.SetReady("a", false);
  Suspend(true);
  cluster_.Step();
  EXPECT_EQ(cluster_.Condition("Suspended"), "False CoordinatorUnreachable");
  EXPECT_EQ(cluster_.Coordinator()->deleted, std::nullopt);
  cluster_.SetReady("a", true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(cluster_.kept.has_value());
  EXPECT_EQ(cluster_.Condition("Suspended"), "True Suspended");
}

TEST_F(Suspending, WithoutAClaimASilentCoordinatorIsNamedAndAskedAgain) {
  Start();
  Suspend(true);
  Snapshot snapshot = cluster_.Take();
  ASSERT_TRUE(snapshot.report.has_value());
  for (const auto& [age, reason] :
       {std::pair{std::chrono::seconds(29), "Suspending"},
        std::pair{std::chrono::seconds(31), "CoordinatorUnreachable"}}) {
    snapshot.report->age = age;
    const Plan plan = MakePlan(snapshot);
    ASSERT_TRUE(plan.status.has_value());
    EXPECT_EQ(cluster::Find(plan.status->conditions, "Suspended")->reason, reason);
    EXPECT_TRUE(plan.actions.empty());
    ASSERT_TRUE(plan.coordinator.has_value());
    EXPECT_TRUE(plan.coordinator->suspended);
  }
}

TEST_F(Suspending, WithAClaimAnUnreachableCoordinatorIsNot) {
  cluster_.job.result_claim = "results";
  Start();
  cluster_.SetReady(cluster_.Coordinator()->node, false);
  Suspend(true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Suspended"), "True Suspended");
}

TEST_F(Suspending, WithdrawingTheSuspensionBeforeTheDeletionLosesNothing) {
  for (const bool claim : {true, false}) {
    ModelCluster cluster;
    cluster.AddNode(Pi4("a"));
    if (claim) cluster.job.result_claim = "results";
    ASSERT_TRUE(cluster.Rest());
    cluster.ChangeSpec([](auto& job) { job.suspend = true; });
    cluster.Step();  // drains
    cluster.ChangeSpec([](auto& job) { job.suspend = false; });
    ASSERT_TRUE(cluster.Rest());
    EXPECT_EQ(cluster.Condition("Progressing"), "True Running") << claim;
    EXPECT_EQ(cluster.Condition("Suspended"), "False Resumed") << claim;
    EXPECT_EQ(cluster.Coordinator()->attempt, claim ? 2 : 1);
    EXPECT_TRUE(cluster.violations.empty());
  }
}

TEST_F(Suspending, NoDeadlinePassesWhileTheJobIsBeingSuspended) {
  cluster_.job.result_claim = "results";
  cluster_.job.spec.active_deadline = std::chrono::seconds(100);
  cluster_.Steps(4);
  Suspend(true);
  cluster_.Advance(std::chrono::seconds(110));
  cluster_.Steps(6);
  EXPECT_EQ(cluster_.Condition("Failed"), "none");
  EXPECT_EQ(cluster_.Condition("Suspended"), "True Suspended");
}

TEST_F(Suspending, TheDeadlineCountsFromTheResumption) {
  cluster_.job.result_claim = "results";
  cluster_.job.spec.active_deadline = std::chrono::seconds(100);
  cluster_.Steps(4);
  ASSERT_EQ(cluster_.Condition("Progressing"), "True Running");
  cluster_.Advance(std::chrono::seconds(60));
  Suspend(true);
  cluster_.Steps(6);
  ASSERT_EQ(cluster_.Condition("Suspended"), "True Suspended");
  cluster_.Advance(std::chrono::seconds(1000));
  Suspend(false);
  cluster_.Step();
  cluster_.Step();
  cluster_.Advance(std::chrono::seconds(60));
  cluster_.Step();
  EXPECT_EQ(cluster_.Condition("Failed"), "none");
  cluster_.Advance(std::chrono::seconds(41));
  cluster_.Step();
  EXPECT_EQ(cluster_.Condition("Failed"), "True DeadlineExceeded");
}

}  // namespace
}  // namespace evenkeel::plan
