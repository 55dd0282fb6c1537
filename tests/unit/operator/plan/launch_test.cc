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
  EXPECT_EQ(Words(plan), (std::vector<std::string>{
                             "make certificates", "apply plan for 3 nodes", "apply service",
                             "apply network policies", "create coordinator, attempt 1",
                             "create worker on a", "create worker on b", "create worker on c"}));
  ASSERT_TRUE(plan.status.has_value());
  EXPECT_EQ(plan.status->start_time, cluster_.now);
  EXPECT_EQ(plan.status->state, "Progressing");
  EXPECT_EQ(plan.status->observed_generation, 1);
}

TEST_F(Launching, ThePlanSaysWhatTheRunIsStartedWith) {
  const Plan plan = MakePlan(cluster_.Take());
  const auto* apply = First<ApplyPlan>(plan);
  ASSERT_NE(apply, nullptr);
  EXPECT_EQ(apply->content.image, "evenkeel/worker:1");
  EXPECT_EQ(apply->content.attempt_seen, 0);
  EXPECT_EQ(apply->content.first_attempt, 1);
  ASSERT_EQ(apply->content.nodes.size(), 3U);
  EXPECT_EQ(apply->content.nodes[0].name, "a");
  EXPECT_EQ(apply->content.nodes[2].name, "c");
  EXPECT_EQ(apply->content.nodes[2].ratio, 1.0);
  EXPECT_GT(apply->content.nodes[0].ratio, 1.5);
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

TEST_F(Launching, ARunningJobAsksForNothing) {
  ASSERT_TRUE(cluster_.Rest());
  const Plan plan = MakePlan(cluster_.Take());
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_FALSE(plan.status.has_value());
  EXPECT_TRUE(plan.events.empty());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  EXPECT_EQ(cluster_.job.status.workers.size(), 3U);
  EXPECT_EQ(cluster_.plan->attempt_seen, 1);
}

TEST_F(Launching, PodsThatTheCacheDoesNotShowYetAreAskedForAgain) {
  const Plan first = MakePlan(cluster_.Take());
  Snapshot later = cluster_.Take();
  later.plan = First<ApplyPlan>(first)->content;
  later.plan->identity = "x";
  const Plan second = MakePlan(later);
  EXPECT_EQ(First<EnsureIdentity>(second), nullptr);
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

TEST_F(Launching, AnImageThatWasNeverThereIsMendedByAnotherOne) {
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

TEST_F(Launching, ALostPlanGetsANewIdentity) {
  ASSERT_TRUE(cluster_.Rest());
  cluster_.plan.reset();
  const Plan plan = MakePlan(cluster_.Take());
  EXPECT_NE(First<EnsureIdentity>(plan), nullptr);
  ASSERT_NE(First<ApplyPlan>(plan), nullptr);
  EXPECT_EQ(First<ApplyPlan>(plan)->content.nodes.size(), 3U);
  EXPECT_EQ(First<ApplyPlan>(plan)->content.attempt_seen, 1);
  EXPECT_EQ(First<CreateCoordinator>(plan), nullptr);
}

TEST_F(Launching, AnUnknownPolicyWaitsUntilItIsThere) {
  cluster_.job.spec.weighting.policy = "mine";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False UnknownPolicy");
  EXPECT_TRUE(cluster_.pods.empty());
  ASSERT_FALSE(cluster_.events.empty());
  EXPECT_EQ(cluster_.events.back().reason, "UnknownPolicy");
  EXPECT_TRUE(cluster_.events.back().warning);

  cluster_.policy =
      cluster::PolicyView{"mine", "spec.criteria: must have at least 1 criterion", {}};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "False InvalidPolicy");

  cluster_.policy = cluster::PolicyView{"mine", "", scheduling::DefaultPolicy()};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Launching, WhatTheApiServerRefusesIsSaid) {
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
