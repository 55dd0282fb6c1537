#include <gtest/gtest.h>

#include "core/scheduling/fuzzy/builtin_policies.h"
#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

template <typename T>
const T* First(const Plan& plan) {
  for (const Action& action : plan.actions) {
    if (const T* found = std::get_if<T>(&action)) return found;
  }
  return nullptr;
}

std::vector<std::string> Words(const Plan& plan) {
  std::vector<std::string> words;
  for (const Action& action : plan.actions) words.push_back(Describe(action));
  return words;
}

class Launching : public testing::Test {
 protected:
  Launching() {
    for (const char* name : {"a", "b"}) cluster_.AddNode(Pi4(name));
    cluster_.AddNode(Pi3("c"));
  }
  ModelCluster cluster_;
};

TEST_F(Launching, TheFirstPlanMakesEverythingInOrder) {
  const Plan plan = MakePlan(cluster_.Take());
  EXPECT_EQ(Words(plan),
            (std::vector<std::string>{"create coordinator, attempt 1", "create worker on a",
                                      "create worker on b", "create worker on c"}));
  ASSERT_TRUE(plan.status.has_value());
  EXPECT_EQ(plan.status->start_time, cluster_.now);
  EXPECT_EQ(plan.status->state, "Progressing");
  EXPECT_EQ(plan.status->observed_generation, 1);
}

TEST_F(Launching, ThePlanHasTheInputsOfTheRun) {
  const Plan made = MakePlan(cluster_.Take());
  ASSERT_TRUE(made.objects.has_value());
  EXPECT_EQ(made.objects->attempt, 1);
  EXPECT_EQ(made.objects->worker_nodes, (std::vector<std::string>{"a", "b", "c"}));
  const cluster::JobPlan& plan = made.objects->plan;
  EXPECT_EQ(plan.image, "evenkeel/worker:1");
  EXPECT_EQ(plan.attempt_seen, 0);
  EXPECT_EQ(plan.first_attempt, 1);
  EXPECT_EQ(plan.worker_secrets, 1);
  EXPECT_EQ(plan.identity, (cluster::IdentityKeys{"key-1", "", std::nullopt}));
  ASSERT_EQ(plan.nodes.size(), 3U);
  EXPECT_EQ(plan.nodes[0].name, "a");
  EXPECT_EQ(plan.nodes[2].name, "c");
  EXPECT_EQ(plan.nodes[2].ratio, 1.0);
  EXPECT_GT(plan.nodes[0].ratio, 1.5);
}

TEST_F(Launching, AThousandWorkersGetSeveralSecrets) {
  cluster_.job.spec.max_workers = 1000;
  for (int i = 0; i < 997; ++i) cluster_.AddNode(Pi4("n" + std::to_string(i)));
  const Plan made = MakePlan(cluster_.Take());
  ASSERT_TRUE(made.objects.has_value());
  EXPECT_EQ(made.objects->worker_nodes.size(), 1000U);
  EXPECT_EQ(made.objects->plan.worker_secrets, 4);
  EXPECT_EQ(First<CreateWorker>(made)->pod.secrets, 4);
}

TEST_F(Launching, AKeyIsReplacedInStepsThatPodsCanFollow) {
  const auto step = [this] {
    cluster_.Steps(2);
    return cluster_.plan->identity;
  };
  const auto wait = [this] { cluster_.Advance(cluster_.settings.secret_propagation); };
  ASSERT_TRUE(cluster_.Rest());
  cluster_.settings.key_id = "key-2";
  cluster_.settings.previous_key_id = "key-1";
  EXPECT_EQ(step().also_trusted, "key-2") << "trusted before it signs";
  EXPECT_EQ(step().issuer, "key-1");
  wait();
  EXPECT_EQ(step().issuer, "key-2");
  EXPECT_EQ(step().also_trusted, "key-1") << "what it signed is still in use";
  wait();
  EXPECT_EQ(step().issuer, "key-2");
  EXPECT_EQ(step().also_trusted, "");
  cluster_.settings.key_id = "key-3";
  cluster_.settings.previous_key_id = "key-2";
  EXPECT_EQ(step().also_trusted, "key-3");
  wait();
  EXPECT_EQ(step().issuer, "key-3");
  wait();
  EXPECT_EQ(step().also_trusted, "");
  // A key that the operator has no longer cannot sign anything.
  cluster_.settings.key_id = "key-5";
  cluster_.settings.previous_key_id = "key-4";
  EXPECT_EQ(step().issuer, "key-5");
  EXPECT_EQ(step().also_trusted, "");
}

TEST_F(Launching, AnotherStartTakesOverWhatHasChanged) {
  cluster_.job.workload = "few tasks";
  ASSERT_TRUE(cluster_.Rest());
  cluster_.ChangeSpec([](auto& job) {
    job.workload = "more tasks";
    job.manifest = "more tasks on other nodes";
  });
  cluster_.DeletePod(cluster_.Coordinator()->name);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.plan->workload, "more tasks");
  EXPECT_EQ(cluster_.plan->manifest, "more tasks on other nodes");
}

TEST_F(Launching, TheCoordinatorKeepsOffTheSlowestBoard) {
  const Plan plan = MakePlan(cluster_.Take());
  ASSERT_NE(First<CreateCoordinator>(plan), nullptr);
  EXPECT_EQ(First<CreateCoordinator>(plan)->pod.avoided_nodes, std::vector<std::string>{"c"});

  ModelCluster equal;
  for (const char* name : {"a", "b"}) equal.AddNode(Pi4(name));
  const Plan no_matter = MakePlan(equal.Take());
  EXPECT_TRUE(First<CreateCoordinator>(no_matter)->pod.avoided_nodes.empty());
}

TEST_F(Launching, TheListOfSlowBoardsIsBounded) {
  for (int i = 0; i < 20; ++i) cluster_.AddNode(Pi3("slow-" + std::to_string(i)));
  cluster_.job.spec.max_workers = 100;
  const Plan plan = MakePlan(cluster_.Take());
  ASSERT_NE(First<CreateCoordinator>(plan), nullptr);
  EXPECT_EQ(First<CreateCoordinator>(plan)->pod.avoided_nodes.size(), 16U);
}

TEST_F(Launching, ARunningJobAsksForNothing) {
  ASSERT_TRUE(cluster_.Rest());
  const Plan plan = MakePlan(cluster_.Take());
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(plan.objects->plan, *cluster_.plan);
  EXPECT_FALSE(plan.status.has_value());
  EXPECT_TRUE(plan.events.empty());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  EXPECT_EQ(cluster_.job.status.workers.size(), 3U);
  EXPECT_EQ(cluster_.plan->attempt_seen, 1);
}

TEST_F(Launching, PodsThatTheCacheDoesNotShowYetAreRequestedAgain) {
  const Plan first = MakePlan(cluster_.Take());
  Snapshot later = cluster_.Take();
  later.plan = first.objects->plan;
  const Plan second = MakePlan(later);
  EXPECT_EQ(second.objects, first.objects);
  ASSERT_NE(First<CreateCoordinator>(second), nullptr);
  EXPECT_EQ(First<CreateCoordinator>(second)->pod.attempt, 1);
}

TEST_F(Launching, AnUpgradeLeavesRunningJobsTheirImage) {
  ASSERT_TRUE(cluster_.Rest());
  cluster_.settings.image = "evenkeel/worker:2";
  cluster_.DeletePod(cluster_.WorkerOn("a")->name);
  cluster_.DeletePod(cluster_.Coordinator()->name);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerOn("a")->image, "evenkeel/worker:1");
  EXPECT_EQ(cluster_.Coordinator()->image, "evenkeel/worker:1");
  EXPECT_EQ(cluster_.Coordinator()->attempt, 2);
}

TEST_F(Launching, AJobsOwnImageIsThatOfAllItsPods) {
  cluster_.job.worker_image = "example.com/own:1";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Coordinator()->image, "example.com/own:1");
  EXPECT_EQ(cluster_.WorkerOn("a")->image, "example.com/own:1");
}

TEST_F(Launching, TheOperatorsImageDoesNotStandInForTheJobsOwn) {
  cluster_.job.worker_image = "example.com/own:1";
  cluster_.broken_images = {"example.com/own:1"};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False ImagePullFailed");
  cluster_.settings.image = "evenkeel/worker:2";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Coordinator()->image, "example.com/own:1");
}

TEST_F(Launching, AMissingImageCanBeReplaced) {
  cluster_.broken_images = {"evenkeel/worker:1"};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False ImagePullFailed");
  cluster_.settings.image = "evenkeel/worker:2";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  EXPECT_EQ(cluster_.Coordinator()->image, "evenkeel/worker:2");
  for (const char* node : {"a", "b", "c"}) {
    EXPECT_EQ(cluster_.WorkerOn(node)->image, "evenkeel/worker:2");
  }
}

TEST_F(Launching, AJobThatHasRunKeepsItsImage) {
  cluster_.progress.tasks = {100, 10, 0};
  ASSERT_TRUE(cluster_.Rest());
  cluster_.Advance(std::chrono::seconds(10));
  cluster_.Step();
  ASSERT_TRUE(cluster_.job.status.tasks.has_value());
  cluster_.broken_images = {"evenkeel/worker:1"};
  cluster_.pods.clear();
  ASSERT_TRUE(cluster_.Rest());
  cluster_.settings.image = "evenkeel/worker:2";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Coordinator()->image, "evenkeel/worker:1");
}

TEST_F(Launching, ALostPlanIsRecreatedAndTheJobContinues) {
  ASSERT_TRUE(cluster_.Rest());
  const cluster::JobPlan lost = *std::exchange(cluster_.plan, std::nullopt);
  const Plan made = MakePlan(cluster_.Take());
  ASSERT_TRUE(made.objects.has_value());
  EXPECT_EQ(made.objects->plan.nodes.size(), 3U);
  EXPECT_EQ(made.objects->plan.attempt_seen, 1);
  EXPECT_EQ(made.objects->plan.identity, lost.identity) << "running pods know it";
  EXPECT_EQ(First<CreateCoordinator>(made), nullptr);
  ASSERT_TRUE(made.coordinator.has_value());
  EXPECT_EQ(made.coordinator->pod_uid, cluster_.Coordinator()->uid);
}

TEST_F(Launching, ATakenNameIsReportedUntilItIsFree) {
  Snapshot snapshot = cluster_.Take();
  snapshot.name_conflict = "Service lab/primes-coordinator";
  const Plan made = MakePlan(snapshot);
  ASSERT_TRUE(made.status.has_value());
  const auto* conflict =
      cluster::Find(made.status->conditions, cluster::condition_type::kNameConflict);
  ASSERT_NE(conflict, nullptr);
  EXPECT_EQ(conflict->status, cluster::Condition::Status::kTrue);
  EXPECT_NE(conflict->message.find("Service lab/primes-coordinator exists"), std::string::npos);
  const auto* progressing =
      cluster::Find(made.status->conditions, cluster::condition_type::kProgressing);
  EXPECT_EQ(progressing->reason, "NameConflict");
  cluster_.job.status = *made.status;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("NameConflict"), "False Resolved");
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Launching, AnUnknownPolicyWaitsUntilItIsThere) {
  cluster_.job.spec.weighting.policy = "mine";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False UnknownPolicy");
  EXPECT_TRUE(cluster_.pods.empty());
  ASSERT_FALSE(cluster_.events.empty());
  EXPECT_EQ(cluster_.events.back().reason, "UnknownPolicy");
  EXPECT_TRUE(cluster_.events.back().warning);

  cluster::PolicyView mine;
  mine.meta.name = "mine";
  mine.invalid = "spec.criteria: must have at least 1 criterion";
  cluster_.policy = mine;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False InvalidPolicy");

  mine.invalid.clear();
  mine.policy = scheduling::DefaultPolicy();
  cluster_.policy = mine;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Launching, AnApiServersRefusalIsReported) {
  Snapshot snapshot = cluster_.Take();
  snapshot.failure = ApplyFailure{"pod primes-coordinator-1 cannot be created", "exceeded quota"};
  const Plan plan = MakePlan(snapshot);
  ASSERT_TRUE(plan.status.has_value());
  const auto* condition = cluster::Find(plan.status->conditions, "Progressing");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->reason, "ApplyFailed");
  EXPECT_EQ(condition->message, "pod primes-coordinator-1 cannot be created: exceeded quota");
  EXPECT_FALSE(plan.actions.empty());
}

TEST_F(Launching, ADeletedJobIsLeftToTheGarbageCollector) {
  cluster_.job.meta.deleted = cluster_.now;
  EXPECT_EQ(MakePlan(cluster_.Take()), Plan{});
}

}  // namespace
}  // namespace evenkeel::plan
