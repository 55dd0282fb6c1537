#include "core/scheduling/fuzzy/weight_estimation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/scheduling/fuzzy/builtin_policies.h"
#include "tests/unit/scheduling/pi_trio.h"

namespace evenkeel::scheduling {
namespace {

const Factor& FactorOf(const NodeWeight& node, const std::string& criterion) {
  return *std::find_if(node.factors.begin(), node.factors.end(),
                       [&criterion](const Factor& f) { return f.criterion == criterion; });
}

bool HasNote(const NodeWeight& node, const std::string& part) {
  return std::any_of(node.notes.begin(), node.notes.end(), [&part](const std::string& note) {
    return note.find(part) != std::string::npos;
  });
}

TEST(PaperPolicy, ReproducesThePublishedTable) {
  const auto weights = EstimateWeights(PiTrio(), PaperPolicy());
  ASSERT_EQ(weights.size(), 3u);
  const double want_value[] = {0.975, 0.985, 0.229};
  const double want_ratio[] = {4.253, 4.297, 1.0};
  const std::int64_t want_weight[] = {5, 5, 1};
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(weights[j].value, want_value[j], 0.0005);
    EXPECT_NEAR(weights[j].ratio, want_ratio[j], 0.0005);
    EXPECT_EQ(weights[j].weight, want_weight[j]);
    EXPECT_TRUE(weights[j].notes.empty());
    EXPECT_EQ(PartitionWeight(weights[j], PaperPolicy().rounding),
              static_cast<double>(want_weight[j]));
  }
}

TEST(PaperPolicy, EveryMembershipIsThatOfTableTwo) {
  const auto weights = EstimateWeights(PiTrio(), PaperPolicy());
  const struct {
    const char* criterion;
    double alpha;
    double mu[3];
  } rows[] = {
      {"cpu", 0.8, {1, 1, 0.2}},          {"osBits", 0.1, {1, 1, 0.2}},
      {"ram", 0.02, {1, 1, 0.6}},         {"extraLoad", 0.02, {0.6, 1, 1}},
      {"sd", 0.02, {1, 1, 0.5}},          {"power", 0.02, {5.1 / 6.4, 5.1 / 6.4, 1}},
      {"osRelease", 0.02, {0.6, 0.6, 1}},
  };
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < 3; ++j) {
      const Factor& factor = FactorOf(weights[j], row.criterion);
      EXPECT_DOUBLE_EQ(factor.mu, row.mu[j]) << row.criterion << " of node " << j + 1;
      EXPECT_DOUBLE_EQ(factor.alpha, row.alpha);
      EXPECT_DOUBLE_EQ(factor.factor, std::pow(row.mu[j], row.alpha));
    }
  }
  EXPECT_EQ(FactorOf(weights[2], "cpu").raw, "Cortex-A53 1200 MHz (significantly-below-norm)");
}

TEST(DefaultPolicy, IsNearTheTrueSpeedsOfThePaper) {
  const auto weights = EstimateWeights(PiTrio(), DefaultPolicy());
  EXPECT_NEAR(weights[0].ratio, 4.26, 0.05);
  EXPECT_NEAR(weights[1].ratio, 4.30, 0.05);
  EXPECT_EQ(weights[2].ratio, 1.0);
  EXPECT_EQ(PartitionWeight(weights[1], DefaultPolicy().rounding), weights[1].ratio);
}

TEST(EstimateWeights, AMissingLabelCountsAsTheGeometricMeanOfTheOthers) {
  // pi4-b hides its card's size; the others have mu 1 and 0.5, so it gets sqrt(0.5).
  auto nodes = PiTrio();
  nodes[1].labels.erase("hardware.evenkeel.dev/sd-gb");
  const auto weights = EstimateWeights(nodes, PaperPolicy());
  const Factor& hidden = FactorOf(weights[1], "sd");
  EXPECT_FALSE(hidden.known);
  EXPECT_NEAR(hidden.mu, std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(hidden.factor, std::sqrt(std::pow(1.0, 0.02) * std::pow(0.5, 0.02)), 1e-12);
  EXPECT_TRUE(HasNote(weights[1], "sd: nothing says it, the mean of the other nodes counts"));
}

TEST(EstimateWeights, AnUnreadableLabelIsTreatedAsMissing) {
  for (const char* bad : {"", "fast", "-8", "0", "1e300", "nan", "8 GB"}) {
    auto nodes = PiTrio();
    nodes[1].labels["hardware.evenkeel.dev/sd-gb"] = bad;
    nodes[1].ephemeral_storage_bytes = 64'000'000'000;  // must not be guessed from instead
    const auto weights = EstimateWeights(nodes, PaperPolicy());
    EXPECT_NEAR(FactorOf(weights[1], "sd").mu, std::sqrt(0.5), 1e-12) << bad;
    EXPECT_EQ(weights[1].notes.size(), 1u) << bad;
  }
}

TEST(EstimateWeights, AnUnknownCriterionCountsOne) {
  auto nodes = PiTrio();
  for (auto& node : nodes) node.labels.erase("hardware.evenkeel.dev/sd-gb");
  const auto weights = EstimateWeights(nodes, PaperPolicy());
  for (const NodeWeight& node : weights) EXPECT_EQ(FactorOf(node, "sd").factor, 1.0);
  EXPECT_TRUE(HasNote(weights[0], "sd: nothing says it, nor is it known of another node"));
}

TEST(EstimateWeights, HidingAnyLabelNeverMakesTheSlowBoardTheHeaviest) {
  const auto all_labels = PiTrio()[2].labels;
  for (const auto& policy : {PaperPolicy(), DefaultPolicy()}) {
    for (const auto& [label, value] : all_labels) {
      auto nodes = PiTrio();
      nodes[2].labels.erase(label);
      const auto weights = EstimateWeights(nodes, policy);
      EXPECT_LE(weights[2].ratio, weights[1].ratio) << policy.name << " without " << label;
    }
    auto nodes = PiTrio();
    nodes[2].labels.clear();
    const auto weights = EstimateWeights(nodes, policy);
    EXPECT_LE(weights[2].ratio, std::max(weights[0].ratio, weights[1].ratio)) << policy.name;
  }
}

TEST(EstimateWeights, NonsenseEverywhereMakesEqualWeightsAndSaysSo) {
  for (const auto& policy : {PaperPolicy(), DefaultPolicy()}) {
    auto nodes = PiTrio();
    for (auto& node : nodes) {
      for (auto& [label, value] : node.labels) value = "purple";
      node.cpu_millicores = 4000;
      node.memory_bytes = node.name == "pi3" ? 1 << 30 : 1 << 31;
      node.architecture = node.name == "pi3" ? "arm" : "arm64";
    }
    const auto weights = EstimateWeights(nodes, policy);
    for (const NodeWeight& node : weights) {
      EXPECT_EQ(node.ratio, 1.0);
      EXPECT_EQ(node.weight, 1);
      EXPECT_TRUE(HasNote(node, "nothing that can be read tells the nodes apart"));
    }
  }
}

TEST(EstimateWeights, TwinsAreEqualWithoutANote) {
  const auto trio = PiTrio();
  auto twins = std::vector<model::NodeProfile>{trio[1], trio[1]};
  const auto weights = EstimateWeights(twins, PaperPolicy());
  EXPECT_EQ(weights[0].ratio, 1.0);
  EXPECT_TRUE(weights[0].notes.empty());
}

TEST(EstimateWeights, ExtremesAreBounded) {
  model::WeightingPolicy policy;
  policy.criteria = {{"x", {"x"}, model::CriterionKind::kNumeric, model::Better::kLarger, 10, {}}};
  model::NodeProfile small = NodeOf("a", {});
  small.labels["x"] = "1e-300";
  model::NodeProfile large = NodeOf("b", {});
  large.labels["x"] = "1e15";
  const auto weights = EstimateWeights({small, large}, policy);
  EXPECT_EQ(weights[0].ratio, 1.0);
  EXPECT_EQ(weights[1].ratio, 1e6);
  EXPECT_EQ(weights[1].weight, 1'000'000);
}

TEST(EstimateWeights, WithoutNodesHasNoWeights) {
  EXPECT_TRUE(EstimateWeights({}, DefaultPolicy()).empty());
}

TEST(EstimateWeights, RatiosAreRoundedToAMillionth) {
  for (const NodeWeight& node : EstimateWeights(PiTrio(), DefaultPolicy())) {
    EXPECT_EQ(node.ratio, std::round(node.ratio * 1e6) / 1e6);
  }
}

}  // namespace
}  // namespace evenkeel::scheduling
