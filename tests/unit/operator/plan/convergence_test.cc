// Whatever happens to a cluster, plans come to rest once nothing more happens, and on the way there
// they break none of the rules that ModelCluster checks.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/rng.h"
#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

std::string NodeName(std::uint64_t i) { return "node-" + std::to_string(i); }

class RandomCluster {
 public:
  explicit RandomCluster(std::uint64_t seed) : rng_(seed) {
    const std::uint64_t nodes = rng_.Below(6);
    for (std::uint64_t i = 0; i < nodes; ++i) Join(i);
    cluster.job.spec.max_workers = static_cast<std::int32_t>(rng_.Between(1, 6));
    if (rng_.Chance(0.5)) cluster.job.result_claim = "results";
    if (rng_.Chance(0.3)) cluster.claim_node = NodeName(rng_.Below(4));
    if (rng_.Chance(0.2)) cluster.claim_exists = false;
    if (rng_.Chance(0.2)) cluster.job.spec.active_deadline = std::chrono::seconds(300);
    if (rng_.Chance(0.2)) cluster.job.ttl = std::chrono::seconds(rng_.Between(0, 100));
    if (rng_.Chance(0.1)) cluster.job.spec.weighting.policy = "unknown";
    cluster.snapshot_too_large = rng_.Chance(0.2);
    cluster.job.suspend = rng_.Chance(0.2);
  }

  void InjectEvent() {
    switch (rng_.Below(16)) {
      case 0:
        return Join(rng_.Below(6));
      case 1:
        return cluster.RemoveNode(NodeName(rng_.Below(6)));
      case 2:
      case 3:
        return ChangeNode([](auto& node) { node.ready = !node.ready; }, true);
      case 4:
        return ChangeNode([](auto& node) { node.unschedulable = !node.unschedulable; }, false);
      case 5:
        return DeleteAPod();
      case 6:
        return FailAPod();
      case 7:
        return cluster.ChangeSpec([](auto& job) { job.suspend = !job.suspend; });
      case 8:
        return Fill(cluster.others);
      case 9:
        return Fill(cluster.unknown);
      case 10:
        return ChangeMaxWorkers();
      case 11:
        return BreakImages();
      case 12:
        return ChangeProgress();
      case 13:
        return cluster.Advance(std::chrono::seconds(rng_.Between(1, 200)));
      case 14:
        return RestartOperator();
      default:
        return ChangeObjects();
    }
  }

  /// Steps with some actions left out, as if they had failed.
  void StepWithFailures() {
    Plan made = MakePlan(cluster.Take());
    if (rng_.Chance(0.2) && !made.actions.empty()) {
      made.actions.resize(rng_.Below(made.actions.size()));
      // Without its objects nothing of a plan is executed.
      if (rng_.Chance(0.2)) {
        made.objects.reset();
        made.actions.clear();
      }
    }
    if (rng_.Chance(0.2)) made.status.reset();
    cluster.Apply(made);
    if (rng_.Chance(0.8)) cluster.Settle();
  }

  void RemoveObstacles() {
    cluster.unknown.clear();  // otherwise a worker might alternate between two nodes
    cluster.broken_images.clear();
    cluster.progress.eta.reset();  // one that stays the same moves away with the time
  }

  ModelCluster cluster;

 private:
  void Join(std::uint64_t i) {
    cluster.AddNode(rng_.Chance(0.5) ? Pi4(NodeName(i)) : Pi3(NodeName(i)));
  }
  void ChangeNode(void (*change)(cluster::NodeView&), bool readiness) {
    const std::string name = NodeName(rng_.Below(6));
    if (!cluster.nodes.contains(name)) return;
    change(cluster.Node(name));
    if (readiness) cluster.Node(name).ready_changed = cluster.now;
  }
  cluster::PodView* AnyPod() {
    if (cluster.pods.empty()) return nullptr;
    return &cluster.pods[rng_.Below(cluster.pods.size())];
  }
  void DeleteAPod() {
    if (const cluster::PodView* pod = AnyPod()) cluster.DeletePod(std::string(pod->name));
  }
  void FailAPod() {
    cluster::PodView* pod = AnyPod();
    if (pod == nullptr || pod->node.empty()) return;
    pod->phase = rng_.Chance(0.7) ? cluster::PodPhase::kFailed : cluster::PodPhase::kSucceeded;
    pod->ready = false;
    if (rng_.Chance(0.7)) pod->termination = cluster::Termination{1, "Error", "", cluster.now};
  }
  void Fill(Requests& requests) {
    const std::string name = NodeName(rng_.Below(6));
    if (rng_.Chance(0.4))
      requests.erase(name);
    else
      requests[name] = {3900, 0, 1};
  }
  void ChangeMaxWorkers() {
    const auto most = static_cast<std::int32_t>(rng_.Between(1, 6));
    cluster.ChangeSpec([most](auto& job) { job.spec.max_workers = most; });
  }
  void BreakImages() {
    cluster.broken_images.clear();
    if (rng_.Chance(0.5)) cluster.broken_images = {"evenkeel/worker:1"};
    if (rng_.Chance(0.3)) cluster.settings.image = "evenkeel/worker:2";
  }
  void ChangeProgress() {
    cluster.progress.fraction = rng_.Unit();
    cluster.progress.eta = FromSeconds(rng_.Uniform(0, 1000));
    if (rng_.Chance(0.15)) cluster.progress.state = cluster::CoordinatorState::kComplete;
    if (rng_.Chance(0.05)) cluster.progress.state = cluster::CoordinatorState::kFailed;
    if (rng_.Chance(0.1)) cluster.progress.state = cluster::CoordinatorState::kBlocked;
  }
  void RestartOperator() {
    cluster.refusal.reset();
    cluster.last_status_write.reset();
    if (rng_.Chance(0.1)) cluster.plan.reset();
  }
  void ChangeObjects() {
    if (rng_.Chance(0.5)) cluster.claim_exists = !cluster.claim_exists;
    if (rng_.Chance(0.05)) cluster.job.meta.deleted = cluster.now;
    if (!cluster.pods.empty() && rng_.Chance(0.3)) cluster.pods.erase(cluster.pods.begin());
  }

  Rng rng_;
};

std::string DescribePlan(const ModelCluster& cluster) {
  const Plan plan = MakePlan(cluster.Take());
  std::string text = plan.status ? "a status" : "";
  for (const Action& action : plan.actions) text += "; " + Describe(action);
  return text + "; Progressing " + cluster.Condition("Progressing");
}

/// Expects the invariants of a job whose plan has no more actions.
void ExpectInvariants(const ModelCluster& cluster, std::uint64_t seed) {
  if (cluster.job_is_gone || cluster.job.meta.deleted) return;
  const bool over =
      cluster.Condition("Complete") != "none" || cluster.Condition("Failed") != "none";
  const bool suspended = cluster.Condition("Suspended") == "True Suspended";
  if (suspended && !over) {
    for (const auto& pod : cluster.pods) {
      EXPECT_TRUE(pod.deleted.has_value()) << "seed " << seed << ": " << pod.name;
    }
  }
  if (over || cluster.job.suspend) return;
  EXPECT_LE(cluster.WorkerNodes().size(), static_cast<std::size_t>(cluster.job.spec.max_workers))
      << "seed " << seed;
  EXPECT_NE(cluster.Condition("Progressing"), "none") << "seed " << seed;
}

TEST(Convergence, PlansComeToRestAndKeepTheRules) {
  constexpr std::uint64_t kSeeds = 3000;
  for (std::uint64_t seed = 1; seed <= kSeeds && !testing::Test::HasFailure(); ++seed) {
    RandomCluster chaos(seed);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 12; ++i) {
        chaos.InjectEvent();
        chaos.StepWithFailures();
      }
      chaos.RemoveObstacles();
      EXPECT_TRUE(chaos.cluster.Rest(400))
          << "seed " << seed << " goes on and on with " << DescribePlan(chaos.cluster);
      ExpectInvariants(chaos.cluster, seed);
      EXPECT_EQ(chaos.cluster.violations, std::vector<std::string>{}) << "seed " << seed;
    }
  }
}

TEST(Convergence, TheSameSnapshotGivesTheSamePlanInAnyOrderOfPods) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomCluster chaos(seed);
    for (int i = 0; i < 20; ++i) {
      chaos.InjectEvent();
      chaos.StepWithFailures();
    }
    Snapshot snapshot = chaos.cluster.Take();
    const Plan plan = MakePlan(snapshot);
    std::reverse(snapshot.pods.begin(), snapshot.pods.end());
    EXPECT_EQ(MakePlan(snapshot), plan) << "seed " << seed;
  }
}

}  // namespace
}  // namespace evenkeel::plan
