#include "operator/plan/weighting.h"

#include <gtest/gtest.h>

#include "core/scheduling/fuzzy/builtin_policies.h"
#include "tests/unit/operator/plan/model_cluster.h"
#include "tests/unit/scheduling/pi_trio.h"

namespace evenkeel::plan {
namespace {

class Weighing : public testing::Test {
 protected:
  Weighing() {
    for (const auto& profile : scheduling::PiTrio()) {
      cluster::NodeView node = Pi4(profile.name);
      node.profile = profile;
      cluster_.AddNode(node);
    }
  }

  std::vector<cluster::PlannedNode> Weigh(const std::vector<std::string>& names,
                                          const std::vector<cluster::PlannedNode>& planned,
                                          const std::optional<model::WeightingPolicy>& policy) {
    snapshot_ = cluster_.Take();
    std::vector<WorkerToWeigh> workers;
    for (const auto& name : names) workers.push_back({snapshot_.nodes->at(name).get(), 4});
    return WeighNodes(snapshot_, workers, planned, policy);
  }

  ModelCluster cluster_;
  Snapshot snapshot_;
};

TEST_F(Weighing, ThePapersTrioWeighsFiveFiveOne) {
  const auto weights = Weigh({"pi4-a", "pi4-b", "pi3"}, {}, scheduling::PaperPolicy());
  ASSERT_EQ(weights.size(), 3U);
  EXPECT_EQ(weights[0].weight, 5);
  EXPECT_EQ(weights[1].weight, 5);
  EXPECT_EQ(weights[2].weight, 1);
}

TEST_F(Weighing, TheWholeJobOfThePapersTrioCarriesTheWeights) {
  cluster_.job.spec.weighting.policy = "paper";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerOn("pi4-a")->weight, 5);
  EXPECT_EQ(cluster_.WorkerOn("pi4-b")->weight, 5);
  EXPECT_EQ(cluster_.WorkerOn("pi3")->weight, 1);
  for (const auto& row : cluster_.job.status.workers) {
    EXPECT_EQ(row.weight, row.node == "pi3" ? 1 : 5) << row.node;
  }
}

TEST_F(Weighing, NodesOfThePlanKeepTheirRatio) {
  const auto weights = Weigh({"pi4-a", "pi3"}, {{"pi3", 0.5, 1}}, scheduling::DefaultPolicy());
  EXPECT_EQ(weights[1].ratio, 0.5);
  // Everything is half of what it would be on its own.
  const auto alone = Weigh({"pi4-a", "pi3"}, {}, scheduling::DefaultPolicy());
  EXPECT_NEAR(weights[0].ratio, alone[0].ratio / 2, 1e-5);
}

TEST_F(Weighing, TheScaleComesFromNodesThatNeedNoWorkerToo) {
  const auto both = Weigh({"pi4-a", "pi3"}, {}, scheduling::DefaultPolicy());
  const auto one = Weigh({"pi4-a"}, {{"pi3", 1.0, 1}}, scheduling::DefaultPolicy());
  ASSERT_EQ(one.size(), 1U);
  EXPECT_NEAR(one[0].ratio, both[0].ratio, 1e-5);
}

TEST_F(Weighing, ExplicitAndEqualWeightsAreTakenAsTheyAre) {
  cluster_.job.spec.weighting.mode = model::WeightingMode::kExplicit;
  cluster_.job.spec.weighting.explicit_weights = {{"pi4-a", 4.5}, {"pi3", 0.25}};
  auto weights = Weigh({"pi4-a", "pi3"}, {}, std::nullopt);
  EXPECT_EQ(weights[0], (cluster::PlannedNode{"pi4-a", 4.5, 5}));
  EXPECT_EQ(weights[1], (cluster::PlannedNode{"pi3", 0.25, 1}));

  cluster_.job.spec.weighting = {};
  cluster_.job.spec.weighting.mode = model::WeightingMode::kEqual;
  weights = Weigh({"pi4-a", "pi3"}, {}, std::nullopt);
  EXPECT_EQ(weights[0], (cluster::PlannedNode{"pi4-a", 1, 1}));
  EXPECT_EQ(weights[1], (cluster::PlannedNode{"pi3", 1, 1}));
}

TEST(WeightSource, NamesWhatCounts) {
  cluster::PlannedNode measured{"a", 2, 2, {}, false, cluster::WeightParts{}};
  measured.parts->confidence = 0.5;
  cluster::PlannedNode doubtful = measured;
  doubtful.parts->confidence = 0.49;
  model::WeightingSpec weighting;
  for (const auto mode : {model::WeightingMode::kAuto, model::WeightingMode::kMeasured}) {
    weighting.mode = mode;
    EXPECT_EQ(WeightSource(weighting, nullptr), "Fuzzy");
    EXPECT_EQ(WeightSource(weighting, &doubtful), "Fuzzy");
    EXPECT_EQ(WeightSource(weighting, &measured), "Measured");
  }
  weighting.mode = model::WeightingMode::kExplicit;
  EXPECT_EQ(WeightSource(weighting, nullptr), "Explicit");
  weighting.mode = model::WeightingMode::kEqual;
  EXPECT_EQ(WeightSource(weighting, nullptr), "Equal");
}

TEST(NodePower, ComesFromLabelOrBoard) {
  cluster::NodeView node = Pi4("a");
  node.profile.labels.clear();
  EXPECT_EQ(NodePower(node), std::nullopt);
  node.profile.labels["hardware.evenkeel.dev/model"] = "raspberry-pi-3b";
  EXPECT_EQ(NodePower(node), (model::NodePower{5.1, 5.1 * 0.4}));
  node.profile.labels["hardware.evenkeel.dev/power-watts"] = "6.4";
  node.profile.labels["hardware.evenkeel.dev/idle-power-watts"] = "2.7";
  EXPECT_EQ(NodePower(node), (model::NodePower{6.4, 2.7}));
  node.profile.cpu_millicores = 4000;  // a worker that may use half of it
  EXPECT_EQ(WorkerPower(node, 2), (model::NodePower{2.7 + 3.7 / 2, 2.7}));
  EXPECT_EQ(WorkerPower(node, 0), NodePower(node));
  for (const char* nonsense : {"much", "-3", "0"}) {
    node.profile.labels["hardware.evenkeel.dev/power-watts"] = nonsense;
    EXPECT_EQ(NodePower(node), std::nullopt) << nonsense;
  }
}

}  // namespace
}  // namespace evenkeel::plan
