#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

const std::string kPower = "hardware.evenkeel.dev/power-watts";

class EnergyPlacementTest : public testing::Test {
 protected:
  EnergyPlacementTest() {
    for (const char* name : {"pi4-a", "pi4-b"}) Add(Pi4(name), "6.4");
    Add(Pi3("pi3"), "5.1");
    cluster_.job.spec.balancing.objective = model::Objective::kEnergy;
    // A ratio of 4 to 1: two of them do the work in 9/8 of the time of all three.
    cluster_.job.spec.weighting.mode = model::WeightingMode::kExplicit;
    cluster_.job.spec.weighting.explicit_weights = {{"pi4-a", 4}, {"pi4-b", 4}, {"pi3", 1}};
    Within(1.25);
  }

  void Add(cluster::NodeView node, const char* watts) {
    node.profile.labels.clear();
    node.profile.cpu_millicores = 4000;
    if (watts != nullptr) node.profile.labels[kPower] = watts;
    cluster_.AddNode(std::move(node));
  }
  void Within(double factor) { cluster_.job.spec.balancing.energy.time_factor = factor; }
  void ForgetPower(const std::string& node) { cluster_.Node(node).profile.labels.erase(kPower); }
  const cluster::PlannedNode& Planned(const std::string& name) {
    const auto& nodes = cluster_.plan->nodes;
    return *std::find_if(nodes.begin(), nodes.end(),
                         [&](const auto& node) { return node.name == name; });
  }
  [[nodiscard]] std::int64_t LeftOutEvents() const {
    return std::count_if(cluster_.events.begin(), cluster_.events.end(),
                         [](const auto& event) { return event.reason == "NodesLeftOut"; });
  }

  ModelCluster cluster_;
};

TEST_F(EnergyPlacementTest, TheSlowBoardGetsNoWorker) {
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (std::vector<std::string>{"pi4-a", "pi4-b"}));
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  EXPECT_EQ(cluster_.violations, std::vector<std::string>{});
  ASSERT_EQ(cluster_.plan->nodes.size(), 3U);
  EXPECT_TRUE(cluster_.plan->nodes.back().left_out);
  EXPECT_EQ(cluster_.plan->nodes.back().name, "pi3");
  EXPECT_FALSE(Planned("pi4-a").left_out);
  EXPECT_EQ(Planned("pi4-a").power, (model::NodePower{6.4, 6.4 * 0.4}));
  EXPECT_EQ(LeftOutEvents(), 1);
  EXPECT_EQ(cluster_.job.status.workers.size(), 2U);
}

TEST_F(EnergyPlacementTest, AllWorkWhereTheTimeAllowsNoLess) {
  Within(1.1);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes().size(), 3U);
  EXPECT_EQ(LeftOutEvents(), 0);
}

TEST_F(EnergyPlacementTest, WithObjectiveTimeAllWorkAndPowerIsReported) {
  cluster_.job.spec.balancing.objective = model::Objective::kTime;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes().size(), 3U);
  EXPECT_EQ(Planned("pi3").power, (model::NodePower{5.1, 5.1 * 0.4}));
}

TEST_F(EnergyPlacementTest, WithoutPowerTheJobWaitsForLabels) {
  for (const char* node : {"pi4-a", "pi4-b", "pi3"}) ForgetPower(node);
  cluster_.Steps(3);
  EXPECT_EQ(cluster_.WorkerNodes(), std::vector<std::string>{});
  EXPECT_EQ(cluster_.Condition("Progressing"), "False PowerUnknown");
  cluster_.Node("pi4-a").profile.labels[kPower] = "6.4";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(EnergyPlacementTest, AnUnknownNodeIsAMeanOne) {
  ForgetPower("pi4-b");
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (std::vector<std::string>{"pi4-a", "pi4-b"}));
  EXPECT_EQ(Planned("pi4-b").power, std::nullopt);
}

TEST_F(EnergyPlacementTest, ALostNodeBringsTheOneLeftOutIn) {
  ASSERT_TRUE(cluster_.Rest());
  cluster_.RemoveNode("pi4-b");
  ASSERT_TRUE(cluster_.Rest());
  // Alone the other one would take 9/4 of the time, and only 1.25 are allowed.
  EXPECT_EQ(cluster_.WorkerNodes(), (std::vector<std::string>{"pi3", "pi4-a"}));
}

TEST_F(EnergyPlacementTest, TheChoiceIsAmongThoseThatMaxWorkersAllows) {
  cluster_.job.spec.max_workers = 2;
  Within(1);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes(), (std::vector<std::string>{"pi4-a", "pi4-b"}));
  EXPECT_EQ(cluster_.plan->nodes.size(), 2U);
}

}  // namespace
}  // namespace evenkeel::plan
