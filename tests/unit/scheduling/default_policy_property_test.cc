#include <gtest/gtest.h>

#include <numeric>

#include "core/base/rng.h"
#include "core/scheduling/fuzzy/board_catalogue.h"
#include "core/scheduling/fuzzy/builtin_policies.h"
#include "core/scheduling/fuzzy/weight_estimation.h"
#include "tests/unit/scheduling/pi_trio.h"

namespace evenkeel::scheduling {
namespace {

/// A board with each label drawn; it is missing now and then.
model::NodeProfile RandomBoard(Rng& rng, const std::string& name) {
  const char* cores[] = {"ARM1176",    "Cortex-A7",  "Cortex-A53",
                         "Cortex-A72", "Cortex-A76", "x86-64"};
  const char* loads[] = {"norm", "above-norm", "significantly-above-norm"};
  model::NodeProfile node = NodeOf(name, {{"cpu", cores[rng.Below(6)]},
                                          {"cpu-mhz", std::to_string(rng.Between(600, 5000))},
                                          {"cpu-cores", std::to_string(rng.Between(1, 16))},
                                          {"os-bits", rng.Chance(0.5) ? "32" : "64"},
                                          {"ram-mib", std::to_string(rng.Between(256, 65536))},
                                          {"extra-load", loads[rng.Below(3)]}});
  std::erase_if(node.labels, [&rng](const auto&) { return rng.Chance(0.1); });
  return node;
}

/// Makes one thing of the board better. Returns false if it does not have that thing.
bool Improve(Rng& rng, model::NodeProfile& node) {
  const char* numbers[] = {"cpu-mhz", "cpu-cores", "ram-mib", "os-bits"};
  const std::uint64_t choice = rng.Below(6);
  if (choice == 4) {
    const auto label = node.labels.find("hardware.evenkeel.dev/extra-load");
    if (label == node.labels.end()) return false;
    label->second = "norm";
    return true;
  }
  if (choice == 5) {
    // With no clock given, the core's usual one would change, too: that is fine, it rises as well.
    const auto label = node.labels.find("hardware.evenkeel.dev/cpu");
    if (label == node.labels.end()) return false;
    const char* next[] = {"Cortex-A7", "Cortex-A53", "Cortex-A72", "Cortex-A76"};
    for (const char* better : next) {
      if (FindCore(better)->performance_per_mhz > FindCore(label->second)->performance_per_mhz) {
        label->second = better;
        return true;
      }
    }
    return false;
  }
  const auto label = node.labels.find(std::string("hardware.evenkeel.dev/") + numbers[choice]);
  if (label == node.labels.end()) return false;
  const std::int64_t now = std::stoll(label->second);
  label->second = choice == 3 ? "64" : std::to_string(now + rng.Between(1, now));
  return true;
}

double ShareOf(const std::vector<NodeWeight>& weights, std::size_t j) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0,
                                     [](double s, const NodeWeight& n) { return s + n.ratio; });
  return weights[j].ratio / sum;
}

TEST(DefaultPolicyProperty, ABetterBoardNeverWeighsLess) {
  constexpr double kRounding = 2e-6;
  int improved = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Rng rng(seed);
    std::vector<model::NodeProfile> nodes;
    const std::int64_t count = rng.Between(2, 8);
    for (std::int64_t j = 0; j < count; ++j) {
      nodes.push_back(RandomBoard(rng, "node-" + std::to_string(j)));
    }
    const auto j = static_cast<std::size_t>(rng.Below(nodes.size()));
    const auto before = EstimateWeights(nodes, DefaultPolicy());
    if (!Improve(rng, nodes[j])) continue;
    ++improved;
    const auto after = EstimateWeights(nodes, DefaultPolicy());
    EXPECT_GE(after[j].ratio, before[j].ratio * (1 - kRounding)) << "seed " << seed;
    EXPECT_GE(after[j].weight, before[j].weight) << "seed " << seed;
    EXPECT_GE(ShareOf(after, j), ShareOf(before, j) * (1 - kRounding)) << "seed " << seed;
  }
  EXPECT_GT(improved, 2000);
}

TEST(DefaultPolicyProperty, WeightsAreAlwaysUsable) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Rng rng(seed);
    std::vector<model::NodeProfile> nodes;
    for (int j = 0; j < 5; ++j) nodes.push_back(RandomBoard(rng, "node-" + std::to_string(j)));
    for (const auto& policy : {DefaultPolicy(), PaperPolicy()}) {
      double least = 1e9;
      for (const NodeWeight& node : EstimateWeights(nodes, policy)) {
        ASSERT_GE(node.ratio, 1.0) << "seed " << seed;
        ASSERT_GE(node.weight, 1) << "seed " << seed;
        ASSERT_GT(node.value, 0.0) << "seed " << seed;
        ASSERT_LE(node.value, 1.0) << "seed " << seed;
        least = std::min(least, node.ratio);
      }
      ASSERT_EQ(least, 1.0) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace evenkeel::scheduling
