// The effects of each fault: one test for each cell of the table in the design.
#include <gtest/gtest.h>

#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

using Names = std::vector<std::string>;

class Survival : public testing::Test {
 protected:
  Survival() {
    for (const char* name : {"a", "b", "c"}) cluster_.AddNode(Pi4(name));
  }
  void TearDown() override { EXPECT_EQ(cluster_.violations, Names{}); }

  void StartWithClaim(std::optional<std::string> on_node) {
    cluster_.job.result_claim = "results";
    cluster_.claim_node = std::move(on_node);
    Start();
  }
  void Start() {
    ASSERT_TRUE(cluster_.Rest());
    ASSERT_EQ(cluster_.Condition("Progressing"), "True Running");
  }
  std::string Attempt() {
    return cluster_.Coordinator()->name + " " + cluster_.Coordinator()->node;
  }
  std::string Message(const std::string& type) {
    const auto* found = cluster::Find(cluster_.job.status.conditions, type);
    return found == nullptr ? "" : found->message;
  }

  ModelCluster cluster_;
};

TEST_F(Survival, WithoutAClaimAContainerThatRestartsIsLeftAlone) {
  Start();
  cluster_.Coordinator()->restarts = 1;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Coordinator()->attempt, 1);
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Survival, OnlyACoordinatorOfWhichNothingRunsIsDeletedWithoutGrace) {
  for (const bool lingers : {true, false}) {
    ModelCluster cluster;
    cluster.AddNode(Pi4("a"));
    ASSERT_TRUE(cluster.Rest());
    // A container that others have added to the pod may still run.
    cluster.Coordinator()->lingers = lingers;
    if (!lingers) cluster.Coordinator()->phase = cluster::PodPhase::kFailed;
    std::vector<DeletePod> deletions;
    for (const Action& action : MakePlan(cluster.Take()).actions) {
      if (const auto* found = std::get_if<DeletePod>(&action)) deletions.push_back(*found);
    }
    ASSERT_EQ(deletions.size(), 1U);
    EXPECT_EQ(deletions.front().name, "primes-coordinator-1");
    EXPECT_EQ(deletions.front().at_once, !lingers);
  }
}

TEST_F(Survival, WithoutAClaimALostPodStartsAgainAndTheConditionSaysSo) {
  Start();
  cluster_.DeletePod("primes-coordinator-1");
  const Plan plan = cluster_.Step();  // nothing is gained by waiting for its end
  EXPECT_NE(cluster_.Pod("primes-coordinator-2"), nullptr);
  ASSERT_FALSE(plan.events.empty());
  EXPECT_EQ(plan.events.front().reason, "CoordinatorLost");
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True StartedAgain");
  EXPECT_EQ(Message("Progressing"),
            "the coordinator's pod was lost; attempt 2 has started again, as there is no claim");
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c"}));
}

TEST_F(Survival, APodThatVanishedBetweenReconciliationsIsLost) {
  Start();
  std::erase_if(cluster_.pods, [](const auto& pod) { return pod.name == "primes-coordinator-1"; });
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Coordinator()->attempt, 2);
  EXPECT_EQ(cluster_.Condition("Progressing"), "True StartedAgain");
}

TEST_F(Survival, AnEvictedPodIsReplacedAndEvictionsInARowAreSlowedDown) {
  Start();
  const auto evict = [this] {
    cluster_.Coordinator()->phase = cluster::PodPhase::kFailed;
    cluster_.Coordinator()->reason = "Evicted";
    cluster_.Coordinator()->ready = false;
  };
  evict();
  cluster_.Step();
  EXPECT_EQ(cluster_.Coordinator()->attempt, 2);
  evict();
  cluster_.Step();
  EXPECT_EQ(cluster_.Coordinator()->attempt, 2);
  EXPECT_EQ(cluster_.Condition("Progressing"), "False CoordinatorFailed");
  cluster_.Advance(std::chrono::seconds(11));
  cluster_.Step();
  EXPECT_EQ(cluster_.Coordinator()->attempt, 3);
}

TEST_F(Survival, WithoutAClaimALostNodeIsGivenTwoMinutes) {
  Start();
  cluster_.SetReady("a", false);
  ASSERT_EQ(Attempt(), "primes-coordinator-1 a");
  cluster_.Step();
  EXPECT_EQ(cluster_.Condition("Progressing"), "False NodeNotReady");
  cluster_.Advance(std::chrono::seconds(119));
  cluster_.Step();
  EXPECT_EQ(cluster_.Coordinator()->attempt, 1);
  cluster_.Advance(std::chrono::seconds(2));
  cluster_.Step();
  EXPECT_EQ(Attempt(), "primes-coordinator-2 b");
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True StartedAgain");
}

TEST_F(Survival, ANodeThatComesBackInTimeCostsNothing) {
  Start();
  cluster_.SetReady("a", false);
  cluster_.Step();
  cluster_.Advance(std::chrono::seconds(20));
  cluster_.SetReady("a", true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(Attempt(), "primes-coordinator-1 a");
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c"}));
}

TEST_F(Survival, WithAClaimADeletedPodMayCloseItsJournalFirst) {
  StartWithClaim("b");
  const platform::Timestamp deleted = cluster_.now;
  cluster_.DeletePod("primes-coordinator-1");
  Snapshot snapshot = cluster_.Take();
  EXPECT_TRUE(MakePlan(snapshot).actions.empty());
  snapshot.now = deleted + std::chrono::seconds(39);
  EXPECT_TRUE(MakePlan(snapshot).actions.empty());
  snapshot.now = deleted + std::chrono::seconds(40);  // stuck
  EXPECT_FALSE(MakePlan(snapshot).actions.empty());

  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(Attempt(), "primes-coordinator-2 b");
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  EXPECT_EQ(Message("Progressing"),
            "the coordinator's pod was lost; attempt 2 goes on from the claim");
}

TEST_F(Survival, WithAClaimADeletedPodOnALostNodeIsNotWaitedFor) {
  StartWithClaim(std::nullopt);
  cluster_.SetReady(cluster_.Coordinator()->node, false);
  cluster_.DeletePod("primes-coordinator-1");
  const Plan plan = MakePlan(cluster_.Take());
  EXPECT_TRUE(std::any_of(plan.actions.begin(), plan.actions.end(), [](const Action& action) {
    return Describe(action) == "create coordinator, attempt 2";
  })) << "its kubelet cannot close the journal";
}

TEST_F(Survival, WithAClaimOnOneNodeTheJobWaitsForThatNode) {
  StartWithClaim("b");
  cluster_.SetReady("b", false);
  cluster_.Advance(std::chrono::seconds(31));
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Coordinator()->attempt, 2);
  EXPECT_EQ(cluster_.Coordinator()->node, "");
  EXPECT_EQ(cluster_.Condition("Progressing"), "False WaitingForNode");
  EXPECT_NE(Message("Progressing").find("Away: "), std::string::npos) << Message("Progressing");

  cluster_.SetReady("b", true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(Attempt(), "primes-coordinator-2 b");
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c"}));
}

TEST_F(Survival, WithASharedClaimTheJobGoesOnElsewhereWithoutWaitingForTheDeletion) {
  StartWithClaim(std::nullopt);
  ASSERT_EQ(Attempt(), "primes-coordinator-1 a");
  cluster_.SetReady("a", false);
  cluster_.Advance(std::chrono::seconds(31));
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(Attempt(), "primes-coordinator-2 b");
  ASSERT_NE(cluster_.Pod("primes-coordinator-1"), nullptr);
  EXPECT_TRUE(cluster_.Pod("primes-coordinator-1")->deleted.has_value());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");

  cluster_.SetReady("a", true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Pod("primes-coordinator-1"), nullptr);
  EXPECT_EQ(cluster_.Coordinator()->attempt, 2);
}

TEST_F(Survival, ANodeThatIsRemovedIsNotWaitedFor) {
  Start();
  Snapshot snapshot = cluster_.Take();
  auto nodes = std::make_shared<Nodes>(*snapshot.nodes);
  nodes->erase("a");
  snapshot.nodes = nodes;
  bool created = false;
  for (const Action& action : MakePlan(snapshot).actions) {
    created = created || std::holds_alternative<CreateCoordinator>(action);
  }
  EXPECT_TRUE(created);
}

TEST_F(Survival, ADeletedPodIsDeletedAtOnceWhenItsNodeIsRemoved) {
  Start();
  const std::string name = cluster_.Coordinator()->name;
  const std::string node = cluster_.Coordinator()->node;
  cluster_.DeletePod(name);
  cluster_.RemoveNode(node);
  const Plan plan = MakePlan(cluster_.Take());
  EXPECT_TRUE(std::any_of(plan.actions.begin(), plan.actions.end(), [&name](const Action& action) {
    return Describe(action) == "delete pod " + name + " at once";
  })) << "no kubelet is left to report its end";
}

TEST_F(Survival, AnOldAttemptThatComesBackIsDeleted) {
  Start();
  cluster::PodView ghost = *cluster_.Coordinator();
  cluster_.DeletePod("primes-coordinator-1");
  ASSERT_TRUE(cluster_.Rest());
  cluster_.pods.push_back(ghost);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Pod("primes-coordinator-1"), nullptr);
  EXPECT_NE(cluster_.Pod("primes-coordinator-2"), nullptr);
}

TEST_F(Survival, ALostWorkersNodeGetsItsWorkerBack) {
  Start();
  cluster_.SetReady("c", false);
  cluster_.Advance(std::chrono::seconds(31));
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b"}));
  cluster_.SetReady("c", true);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c"}));
}

TEST_F(Survival, AMissingClaimIsReportedAndRecovers) {
  cluster_.claim_exists = false;
  cluster_.job.result_claim = "results";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False ClaimMissing");
  EXPECT_TRUE(cluster_.events.back().warning);
  cluster_.claim_exists = true;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Survival, AFullClaimIsReportedAndRecovers) {
  StartWithClaim("b");
  cluster_.progress.state = cluster::CoordinatorState::kBlocked;
  cluster_.progress.reason = "no space left in the result folder";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False StorageFull");
  EXPECT_EQ(Message("Progressing"), "no space left in the result folder");
  EXPECT_EQ(cluster_.job.status.state, "StorageFull");
  cluster_.progress.state = cluster::CoordinatorState::kRunning;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Survival, NoEligibleNodeIsReportedAndRecovers) {
  for (auto& [name, node] : cluster_.nodes) node.unschedulable = true;
  cluster_.Node("c").taints = {{"dedicated", "db", "NoSchedule"}};
  cluster_.Node("c").unschedulable = false;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False NoEligibleNodes");
  EXPECT_EQ(Message("Progressing"),
            "none of 3 nodes can take a worker: 2 cordoned (a, b); 1 closed by taint "
            "dedicated=db:NoSchedule, which spec.nodes.tolerations does not tolerate (c)");
  EXPECT_FALSE(cluster_.plan.has_value());
  cluster_.Node("a").unschedulable = false;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

/// The plan's reason for Progressing=False with a coordinator that has been ready for this time.
std::string ReasonWhenReadyFor(Duration time) {
  ModelCluster cluster;
  cluster.AddNode(Pi4("a"));
  cluster.Rest();
  Snapshot snapshot = cluster.Take();
  snapshot.report.reset();
  snapshot.job.status.conditions.clear();
  for (auto& pod : snapshot.pods) {
    pod.created = snapshot.now - std::chrono::minutes(10);  // the image took its time
    pod.ready_since = std::chrono::floor<std::chrono::seconds>(snapshot.now - time);
  }
  const Plan plan = MakePlan(snapshot);
  if (!plan.status) return "nothing is said";
  const auto* found = cluster::Find(plan.status->conditions, cluster::condition_type::kProgressing);
  return found != nullptr ? found->reason : "no condition";
}

TEST(Silence, CountsFromWhenTheCoordinatorCouldHaveAnswered) {
  EXPECT_EQ(ReasonWhenReadyFor(std::chrono::seconds(5)), "Starting");
  EXPECT_EQ(ReasonWhenReadyFor(std::chrono::minutes(5)), "CoordinatorUnreachable");
}

}  // namespace
}  // namespace evenkeel::plan
