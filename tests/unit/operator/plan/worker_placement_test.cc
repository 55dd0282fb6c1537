#include "operator/plan/worker_placement.h"

#include <gtest/gtest.h>

#include "cluster/names.h"
#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

using Names = std::vector<std::string>;

class Placing : public testing::Test {
 protected:
  Placing() {
    for (const char* name : {"a", "b"}) cluster_.AddNode(Pi4(name));
    cluster_.AddNode(Pi3("c"));
  }
  void TearDown() override { EXPECT_EQ(cluster_.violations, Names{}); }
  ModelCluster cluster_;
};

TEST_F(Placing, MaxWorkersTakesTheHeaviest) {
  cluster_.job.spec.max_workers = 2;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b"}));
}

TEST_F(Placing, MaxWorkersMayChangeInMidRun) {
  ASSERT_TRUE(cluster_.Rest());
  cluster_.ChangeSpec([](auto& job) { job.spec.max_workers = 2; });
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b"}));
  cluster_.ChangeSpec([](auto& job) { job.spec.max_workers = 3; });
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c"}));
}

TEST_F(Placing, ANodeThatJoinsGetsAWorkerOnTheScaleOfTheOthers) {
  ASSERT_TRUE(cluster_.Rest());
  const double heavy = cluster_.WorkerOn("a")->ratio;
  cluster_.AddNode(Pi4("d"));
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c", "d"}));
  EXPECT_NEAR(cluster_.WorkerOn("d")->ratio, heavy, 1e-5);

  // One that is far better than all before changes every membership, but not the others' scale.
  cluster::NodeView giant = Pi4("giant");
  giant.profile.labels["hardware.evenkeel.dev/cpu-mhz"] = "6000";
  cluster_.AddNode(giant);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_GT(cluster_.WorkerOn("giant")->ratio, heavy * 2);
  EXPECT_NEAR(cluster_.WorkerOn("a")->ratio, heavy, 1e-9);
}

TEST_F(Placing, ANodeThatGaveAWrongResultIsNamedAndLosesItsWorker) {
  ASSERT_TRUE(cluster_.Rest());
  const std::string reason =
      "its result of task 5 is wrong: the nodes a and c agree on another one";
  cluster_.progress.excluded = {{"b", reason, 40}};
  const Plan plan = cluster_.Step();
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "c"}));
  EXPECT_EQ(cluster_.Condition("NodesExcluded"), "True WrongResults");
  const std::string message =
      "node b is left out: " + reason + "; 40 results were revoked and are computed again";
  EXPECT_EQ(plan.events, (std::vector<Event>{{true, "WrongResults", message, true}}));
  // A second node that is left out has an event of its own.
  cluster_.progress.excluded.push_back({"a", "wrong", 1});
  const Plan second = cluster_.Step();
  ASSERT_EQ(second.events.size(), 1U);
  EXPECT_EQ(second.events[0].reason, "WrongResults");
  EXPECT_NE(second.events[0].note.find("node a is left out"), std::string::npos);
  cluster_.progress.excluded.push_back({"c", "wrong", 1});
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False NoEligibleNodes");
}

TEST_F(Placing, VerificationWaitsForASecondNodeAndSaysSo) {
  cluster_.job.spec.max_workers = 1;
  cluster_.job.spec.task_policy.verified_share = 1;
  cluster_.progress.tasks = {100, 99, 0};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  cluster_.progress.tasks = {100, 100, 0};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False WaitingForSecondNode");
  cluster_.ChangeSpec([](auto& job) { job.spec.max_workers = 2; });
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Placing, ANodeThatGoesTakesItsWorkerWithIt) {
  ASSERT_TRUE(cluster_.Rest());
  cluster_.RemoveNode("b");
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "c"}));
}

TEST_F(Placing, ACordonedNodeKeepsItsWorkerButGetsNoNewOne) {
  ASSERT_TRUE(cluster_.Rest());
  const std::string uid = cluster_.WorkerOn("b")->uid;
  cluster_.Node("b").unschedulable = true;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerOn("b")->uid, uid);
  cluster_.DeletePod(cluster_.WorkerOn("b")->name);  // drained
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "c"}));
  cluster_.Node("b").unschedulable = false;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c"}));
}

TEST_F(Placing, ARelabelRestartsNoWorker) {
  cluster_.job.spec.node_selector = {{"pool", "x"}};
  for (auto& [name, node] : cluster_.nodes) node.profile.labels["pool"] = "x";
  ASSERT_TRUE(cluster_.Rest());
  const std::string uid = cluster_.WorkerOn("a")->uid;
  cluster_.Node("a").profile.labels["pool"] = "y";
  cluster_.Node("b").profile.labels["hardware.evenkeel.dev/cpu-mhz"] = "3000";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerOn("a")->uid, uid);
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c"}));
}

TEST_F(Placing, NodesThatTheAffinityExcludesGetNoWorker) {
  using Operator = model::NodeRequirement::Operator;
  cluster_.Node("b").profile.labels["board"] = "pi3";
  cluster_.job.spec.node_affinity = {{{{{"board", Operator::kNotIn, {"pi3"}}}, {}}}};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "c"}));
}

TEST_F(Placing, ADeletedWorkerIsRecreated) {
  ASSERT_TRUE(cluster_.Rest());
  const std::string uid = cluster_.WorkerOn("a")->uid;
  cluster_.DeletePod(cluster_.WorkerOn("a")->name);
  ASSERT_TRUE(cluster_.Rest());
  ASSERT_NE(cluster_.WorkerOn("a"), nullptr);
  EXPECT_NE(cluster_.WorkerOn("a")->uid, uid);
}

TEST_F(Placing, TheSlotOfADeletedWorkerIsKeptForItsNode) {
  cluster_.job.spec.max_workers = 2;
  ASSERT_TRUE(cluster_.Rest());
  cluster_.DeletePod(cluster_.WorkerOn("a")->name);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b"}));
}

TEST_F(Placing, TheSlotOfADrainedWorkerGoesToAnotherNode) {
  cluster_.job.spec.max_workers = 2;
  ASSERT_TRUE(cluster_.Rest());
  cluster_.Node("a").unschedulable = true;
  cluster_.DeletePod(cluster_.WorkerOn("a")->name);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"b", "c"}));
}

TEST_F(Placing, AFailedWorkerIsRecreatedAfterABackoffThatDoubles) {
  ASSERT_TRUE(cluster_.Rest());
  for (const int wait : {10, 20, 40, 80, 160, 320, 360, 360}) {
    cluster::PodView* pod = cluster_.WorkerOn("a");
    const std::string uid = pod->uid;
    pod->phase = cluster::PodPhase::kFailed;
    pod->ready = false;
    pod->termination = cluster::Termination{1, "Error", "", cluster_.now};
    cluster_.Step();
    cluster_.Advance(std::chrono::seconds(wait) - std::chrono::milliseconds(1));
    cluster_.Step();
    EXPECT_EQ(cluster_.WorkerOn("a")->uid, uid) << wait;
    cluster_.Advance(std::chrono::milliseconds(1));
    cluster_.Step();
    EXPECT_NE(cluster_.WorkerOn("a")->uid, uid) << wait;
    ASSERT_TRUE(cluster_.Rest());
  }
  EXPECT_EQ(cluster_.WorkerOn("a")->attempt, 9);
}

TEST_F(Placing, AGoodRunResetsTheFailureCount) {
  ASSERT_TRUE(cluster_.Rest());
  cluster::PodView* pod = cluster_.WorkerOn("a");
  pod->attempt = 8;
  cluster_.Advance(std::chrono::minutes(11));
  pod->phase = cluster::PodPhase::kFailed;
  pod->termination = cluster::Termination{1, "Error", "", cluster_.now};
  cluster_.Advance(std::chrono::seconds(10));
  cluster_.Step();
  EXPECT_EQ(cluster_.WorkerOn("a")->attempt, 2);
}

TEST_F(Placing, ALaterJobGoesWithoutAFullNodeAndTakesItWhenThereIsRoom) {
  cluster_.others["a"] = {3900, 0, 1};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"b", "c"}));
  cluster_.others.clear();
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c"}));
}

TEST_F(Placing, ALaterJobWaitsWhileEveryNodeIsFull) {
  for (const char* name : {"a", "b", "c"}) cluster_.others[name] = {3900, 0, 1};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(cluster_.pods.empty());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False WaitingForRoom");
  EXPECT_TRUE(MakePlan(cluster_.Take()).requeue_after.has_value());
  cluster_.others.clear();
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Placing, ARunningJobSaysOnWhichNodesItWaitsForRoomAndWhoHoldsIt) {
  cluster_.others["a"] = {3900, 64 << 20, 2};
  cluster_.holders["a"] = {{"alpha", {3750, 64 << 20, 1}}, {"primes", {50, 64 << 20, 1}}};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  EXPECT_EQ(cluster_.ConditionMessage("Progressing"),
            "workers run; waits for room: a lacks cpu: requested 250m, free 50m, held by job "
            "alpha (3750m), this job's coordinator (50m), other pods (150m)");
  EXPECT_EQ(MakePlan(cluster_.Take()).crowded_nodes, (Names{"a"}));
  cluster_.others.clear();
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(MakePlan(cluster_.Take()).crowded_nodes, (Names{}));
  EXPECT_EQ(cluster_.ConditionMessage("Progressing"), "workers run");
}

TEST_F(Placing, AWaitingJobNamesEachLackingResourceAndAtMostThreeJobs) {
  constexpr std::int64_t kLot = 1LL << 30U;
  for (const char* name : {"a", "b", "c"}) cluster_.others[name] = {3900, 4 * kLot, 6};
  cluster_.holders["a"] = {{"one", {100, kLot, 1}},  {"two", {2000, kLot, 1}},
                           {"three", {300, 0, 1}},   {"four", {500, kLot, 1}},
                           {"five", {400, kLot, 1}}, {"primes", {50, 0, 1}}};
  cluster_.AddNode(Pi4("d"));
  cluster_.Node("d").unschedulable = true;
  cluster_.AddNode(Pi4("e"));
  cluster_.others["e"] = {4000, 0, 1};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False WaitingForRoom");
  const std::string message = cluster_.ConditionMessage("Progressing");
  EXPECT_TRUE(message.starts_with(
      "none of 5 nodes can take a worker: 1 cordoned (d); 4 without room for what the worker "
      "requests (a, b, c, ...); waits for room: a lacks cpu: requested 250m, free 100m, held by "
      "job two (2000m), job four (500m), job five (400m), 2 more jobs (400m), this job's "
      "coordinator (50m), other pods (550m); a lacks memory: requested 64Mi, free 0, held by job "))
      << message;
  EXPECT_TRUE(message.ends_with("; 1 more node")) << message;
}

TEST_F(Placing, ARequestLargerThanANodeIsNotBlamedOnOtherPods) {
  cluster_.job.resources.requests["cpu"] = "5";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_NE(cluster_.ConditionMessage("Progressing")
                .find("without enough cpu: it has 4000m, the worker requests 5000m (a, b, c)"),
            std::string::npos);
}

TEST_F(Placing, AWorkerThatLostItsRoomBeforeItWasScheduledSaysWhoHasIt) {
  cluster_.Step();  // creates the pods
  for (cluster::PodView& pod : cluster_.pods) {
    if (pod.role != cluster::PodRole::kWorker) continue;
    pod.node.clear();
    pod.ready = false;
    pod.phase = cluster::PodPhase::kPending;
    pod.unscheduled = cluster::SchedulingTrouble{"Unschedulable", "Insufficient cpu", cluster_.now};
  }
  for (const char* name : {"a", "b", "c"}) cluster_.others[name] = {3900, 0, 1};
  cluster_.holders["a"] = {{"alpha", {3750, 0, 1}}};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False WaitingForRoom");
  EXPECT_NE(cluster_.ConditionMessage("Progressing").find("held by job alpha (3750m)"),
            std::string::npos)
      << cluster_.ConditionMessage("Progressing");
  cluster_.others.clear();
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Placing, AWorkerWithoutRoomLetsAnotherNodeTakeItsPlaceAfter30Seconds) {
  cluster_.job.spec.max_workers = 2;
  cluster_.unknown["a"] = {3900, 0, 1};  // pods the operator does not see
  cluster_.Step();
  cluster_.Step();
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b"}));
  cluster_.Advance(std::chrono::seconds(29));
  cluster_.Step();
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b"}));
  cluster_.Advance(std::chrono::seconds(2));
  cluster_.Step();
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"b", "c"}));
}

TEST_F(Placing, AWorkerWithoutRoomWaitsIfNoOtherNodeCouldReplaceIt) {
  cluster_.unknown["a"] = {3900, 0, 1};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c"}));
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  cluster_.unknown.clear();
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(cluster_.WorkerOn("a")->ready);
}

TEST_F(Placing, AWorkerWithoutRoomIsRemovedBeforeOneThatRuns) {
  cluster_.unknown["a"] = {3900, 0, 1};
  ASSERT_TRUE(cluster_.Rest());
  cluster_.Advance(std::chrono::seconds(31));
  cluster_.ChangeSpec([](auto& job) { job.spec.max_workers = 2; });
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"b", "c"})) << "although a is heavier than c";
}

TEST_F(Placing, WorkersDoNotMoveToABetterNode) {
  cluster_.Node("a").unschedulable = true;
  cluster_.job.spec.max_workers = 2;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"b", "c"}));
  cluster_.Node("a").unschedulable = false;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"b", "c"}));
}

TEST_F(Placing, ABoardWithMuchCpuAndLittleMemoryGetsItsTrueShare) {
  cluster_.job.spec.weighting.mode = model::WeightingMode::kExplicit;
  cluster_.job.spec.weighting.explicit_weights = {{"a", 4}, {"b", 4}, {"c", 2}};
  cluster_.job.spec.task_resources.memory_bytes = std::int64_t{1} << 30;
  for (const auto& [name, mebibytes] : {std::pair("a", 7800), {"b", 2100}, {"c", 900}}) {
    cluster_.Node(name).allocatable = {4000, std::int64_t{mebibytes} << 20, 110, {}};
  }
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b"}));  // c has too little for one task
  EXPECT_EQ(cluster_.WorkerOn("a")->ratio, 4);
  EXPECT_EQ(cluster_.WorkerOn("b")->ratio, 2);  // 2 of its 4 cores have a task
  EXPECT_EQ(cluster_.WorkerOn("b")->weight, 4);
  EXPECT_EQ(cluster_.WorkerOn("b")->requests.memory_bytes, std::int64_t{2} << 30);
  EXPECT_EQ(cluster::Find(cluster_.job.status.conditions, "Progressing")->message,
            "workers run; left out: c, which is without enough memory: it has 900Mi, a worker with "
            "one task requests 1024Mi");
  // The coordinator goes by the plan.
  const Snapshot seen = cluster_.Take();
  for (const cluster::PlannedNode& node : seen.plan->nodes) {
    EXPECT_EQ(node.ratio, node.name == "a" ? 4 : 2) << node.name;
  }
}

TEST_F(Placing, ANodeWithoutItsClaimIsNamedWhileOthersRun) {
  cluster_.job.has_files = true;
  cluster_.job.spec.file_cache_claim = "files-{node}";
  cluster_.missing_claims = {"files-b"};
  const auto message = [this] {
    return cluster::Find(cluster_.job.status.conditions, "Progressing")->message;
  };
  const std::string want = "workers run, but not all: pod " +
                           cluster::WorkerPodName(cluster_.job.meta.name, "b") +
                           " cannot be scheduled: 0/3 nodes are available: persistentvolumeclaim "
                           "\"files-b\" not found.";
  for (const int later : {10, 60, 600}) {
    ASSERT_TRUE(cluster_.Rest());
    cluster_.Advance(std::chrono::seconds(later));
    ASSERT_TRUE(cluster_.Rest());
    EXPECT_EQ(message(), want) << later;
  }
  cluster_.missing_claims.clear();
  ASSERT_TRUE(cluster_.Rest());
  cluster_.Advance(std::chrono::seconds(60));
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(message(), "workers run");
}

TEST_F(Placing, JobsWhoseClaimsAreMissingSaySo) {
  cluster_.job.has_files = true;
  cluster_.job.spec.file_cache_claim = "files";
  cluster_.missing_claims = {"files"};
  for (const int later : {10, 60}) {
    ASSERT_TRUE(cluster_.Rest());
    cluster_.Advance(std::chrono::seconds(later));
    ASSERT_TRUE(cluster_.Rest());
    const auto* found = cluster::Find(cluster_.job.status.conditions, "Progressing");
    EXPECT_EQ(found->reason, "ClaimMissing");
    EXPECT_NE(found->message.find("persistentvolumeclaim \"files\" not found"), std::string::npos);
  }
}

TEST_F(Placing, ANodeWithANameTooLongForItsClaimIsLeftOut) {
  cluster_.job.has_files = true;
  cluster_.job.spec.file_cache_claim = std::string(248, 'f') + "{node}";
  const std::string longer(6, 'd');
  cluster_.AddNode(Pi4(longer));
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (Names{"a", "b", "c"}));
  EXPECT_EQ(cluster::Find(cluster_.job.status.conditions, "Progressing")->message,
            "workers run; left out: dddddd, which is without a claim: spec.worker.fileCacheClaim "
            "with its name has 254 characters, at most 253 are allowed");
}

TEST_F(Placing, NeedsThatFitNowhereAreNamed) {
  cluster_.job.spec.task_resources.memory_bytes = std::int64_t{64} << 30;
  for (const char* name : {"a", "b", "c"}) {
    cluster_.Node(name).allocatable = {4000, std::int64_t{8} << 30, 110, {}};
  }
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), Names{});
  EXPECT_EQ(cluster_.Condition("Progressing"), "False NoEligibleNodes");
  const auto* condition = cluster::Find(cluster_.job.status.conditions, "Progressing");
  EXPECT_EQ(condition->message,
            "none of 3 nodes can take a worker: 3 without enough memory: it has 8192Mi, a worker "
            "with one task requests 65536Mi (a, b, c)");
}

cluster::Obstacle ObstacleOfOnlyNode(const Snapshot& snapshot) {
  const WorkerInventory inventory = TakeWorkerInventory(PlanBuilder(snapshot));
  return inventory.eligibilities.at(0).first.obstacle;
}

TEST(TakeWorkerInventory, DoesNotCountTheJobsOwnWorkersButItsCoordinator) {
  ModelCluster cluster;
  cluster.AddNode(Pi4("a"));
  cluster.job.resources.requests["cpu"] = "3";
  cluster.Rest();
  ASSERT_EQ(cluster.WorkerNodes().size(), 1U);
  Snapshot snapshot = cluster.Take();
  EXPECT_EQ(ObstacleOfOnlyNode(snapshot), cluster::Obstacle::kNone);
  cluster.job.resources.requests["cpu"] = "3980m";  // 50m of the coordinator are there, too
  snapshot = cluster.Take();
  EXPECT_EQ(ObstacleOfOnlyNode(snapshot), cluster::Obstacle::kRoom);
}

TEST(TakeWorkerInventory, AWorkerThatHasEndedHoldsNoRoom) {
  ModelCluster cluster;
  cluster.AddNode(Pi4("a"));
  cluster.job.resources.requests["cpu"] = "2";
  cluster.Rest();
  ASSERT_EQ(cluster.WorkerNodes().size(), 1U);
  cluster.WorkerOn("a")->phase = cluster::PodPhase::kFailed;
  cluster.others["a"] = {3000, 0, 1};
  const Snapshot snapshot = cluster.Take();
  EXPECT_EQ(ObstacleOfOnlyNode(snapshot), cluster::Obstacle::kRoom)
      << "its requests are not part of the node's";
}

}  // namespace
}  // namespace evenkeel::plan
