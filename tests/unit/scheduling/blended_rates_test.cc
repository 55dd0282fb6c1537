#include "core/scheduling/history/blended_rates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.h"

namespace evenkeel::scheduling {
namespace {

using Nodes = std::vector<NodeToBlend>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A rate in units per second of a thread, measured for `busy_seconds`.
RateSample Sample(double rate, double busy_seconds = 100, double age_seconds = 0) {
  return {rate * busy_seconds, busy_seconds, age_seconds};
}

std::vector<BlendedNode> Blend(const Nodes& nodes) { return BlendRates(nodes, {}); }

void ExpectValidWeights(const std::vector<BlendedNode>& blended) {
  double lightest = kInfinity;
  for (const BlendedNode& node : blended) {
    EXPECT_TRUE(std::isfinite(node.ratio) && node.ratio >= 1 && node.ratio <= 1e6) << node.ratio;
    EXPECT_TRUE(std::isfinite(node.rate) && node.rate >= 0) << node.rate;
    EXPECT_TRUE(node.confidence >= 0 && node.confidence < 1) << node.confidence;
    EXPECT_TRUE(node.sigma > 0 && node.sigma <= 1) << node.sigma;
    EXPECT_TRUE(std::isfinite(node.age_seconds) && node.age_seconds >= 0) << node.age_seconds;
    lightest = std::min(lightest, node.ratio);
  }
  EXPECT_EQ(lightest, 1);
}

TEST(BlendedRates, WithoutHistoryWeightsAreTheFuzzyOnes) {
  const auto blended = Blend({{"a", 4.25, 4, {}}, {"b", 1, 4, {}}});
  EXPECT_EQ(blended[0].ratio, 4.25);
  EXPECT_EQ(blended[1].ratio, 1);
  EXPECT_EQ(blended[0].rate, 0);
  EXPECT_EQ(blended[0].confidence, 0);
  EXPECT_EQ(blended[0].sigma, 0.5);
  EXPECT_TRUE(BlendRates({}, {}).empty());
}

// Labels say 1 : 1 : 4.3, while the nodes run at 0.40, 0.40 and 0.09: 4.44 : 4.44 : 1.
TEST(BlendedRates, HistoryOverrulesWrongLabels) {
  const auto blended = Blend({{"pi4-a", 1, 1, Sample(0.40, 40)},
                              {"pi4-b", 1, 1, Sample(0.40, 40)},
                              {"pi3", 4.3, 1, Sample(0.09, 40)}});
  EXPECT_NEAR(blended[0].ratio, 4.44, 0.02 * 4.44);
  EXPECT_NEAR(blended[1].ratio, 4.44, 0.02 * 4.44);
  EXPECT_EQ(blended[2].ratio, 1);
  EXPECT_NEAR(blended[2].rate, 0.09, 0.02 * 0.09);
  EXPECT_GT(blended[2].confidence, 0.99);
}

// By hand, with one node of history only for the scale: S = log(8 / 2) = log 4, so that the other
// one is expected to do 3 x 4 = 12 units a second, with both at ratio 3 : 2.
TEST(BlendedRates, NodesWithoutHistoryAreScaledToTheOthers) {
  const auto blended = Blend({{"known", 2, 1, Sample(8)}, {"new", 3, 1, {}}});
  EXPECT_NEAR(blended[0].rate, 8, 1e-9);
  EXPECT_NEAR(blended[1].rate, 12, 1e-9);
  EXPECT_EQ(blended[1].ratio, 1.5);
  EXPECT_EQ(blended[1].confidence, 0);
  EXPECT_EQ(blended[1].measured_rate, 0);
}

// Two nodes of ratio 1: S is the mean of log 4 and log 1, p = log 2 and d = log 2 for the first.
// h = 0.01 (1 + 0) + 0.1 / 50 = 0.012, c = (0.25 + 0.4805) / (0.25 + 0.4805 + 0.012) = 0.9838.
TEST(BlendedRates, WeighsTheHistoryByItsCertainty) {
  const auto blended = Blend({{"a", 1, 1, Sample(4, 50)}, {"b", 1, 1, Sample(1, 50)}});
  EXPECT_NEAR(blended[0].confidence, 0.9838, 1e-4);
  EXPECT_NEAR(blended[0].rate, 2 * std::pow(2, 0.9838), 1e-3);
  EXPECT_NEAR(blended[0].ratio, std::pow(4, 0.9838), 1e-3);
}

TEST(BlendedRates, LongerAndYoungerSamplesAreSurer) {
  const auto confidence = [](double busy, double age) {
    return Blend({{"a", 1, 1, Sample(4, busy, age)}, {"b", 1, 1, Sample(1, busy, age)}})[0]
        .confidence;
  };
  EXPECT_LT(confidence(1, 0), confidence(10, 0));
  EXPECT_LT(confidence(10, 0), confidence(1000, 0));
  EXPECT_LT(confidence(1000, 7 * 86400), confidence(1000, 0));
  EXPECT_GT(confidence(5, 0), 0.5) << "five seconds are a history";
}

TEST(BlendedRates, RatesAreThoseOfAllThreads) {
  const auto blended = Blend({{"a", 1, 4, Sample(10, 1e6)}, {"b", 1, 1, Sample(10, 1e6)}});
  EXPECT_NEAR(blended[0].ratio, 4, 0.1);
  EXPECT_NEAR(blended[0].measured_rate, 40, 1e-9);
}

TEST(BlendedRates, NonsenseIsLeftOutAndSaid) {
  const RateSample nonsense[] = {{-5, 10, 0},        {10, -5, 0},        {0, 10, 0},
                                 {10, 0, 0},         {kNaN, 10, 0},      {10, kNaN, 0},
                                 {kInfinity, 10, 0}, {10, kInfinity, 0}, {1e-300, 1e300, 0},
                                 {1e300, 1e-10, 0},  {-5, -5, 0}};
  for (const RateSample& sample : nonsense) {
    const auto blended =
        Blend({{"a", 2, 1, Sample(2)}, {"b", 1, 1, Sample(1)}, {"liar", 3, 1, sample}});
    ExpectValidWeights(blended);
    EXPECT_EQ(blended[2].note, "its history is no rate and does not count") << sample.units;
    EXPECT_EQ(blended[2].confidence, 0);
    EXPECT_NEAR(blended[2].ratio, 3, 1e-6);
  }
  const auto brief = Blend({{"a", 2, 1, Sample(2, 0.01)}});
  EXPECT_EQ(brief[0].note, "its history is too short and does not count");
  const auto ageless = Blend({{"a", 2, 1, RateSample{10, 10, kNaN}}});
  EXPECT_EQ(ageless[0].age_seconds, 0);
}

TEST(BlendedRates, AnAbsurdRateIsLeftOutHoweverSureItIs) {
  for (const double factor : {150.0, 1e9, 1 / 150.0, 1e-9}) {
    const auto blended = Blend({{"a", 2, 1, Sample(2, 1)},
                                {"b", 1, 1, Sample(1, 1)},
                                {"liar", 1, 1, Sample(factor, 1e12)}});
    ExpectValidWeights(blended);
    EXPECT_FALSE(blended[2].note.empty()) << factor;
    EXPECT_NEAR(blended[2].ratio, 1, 1e-6) << factor;
    EXPECT_NEAR(blended[0].ratio, 2, 1e-6) << factor;
  }
  // If two samples differ this much, it is unknown which one is wrong.
  const auto both = Blend({{"a", 1, 1, Sample(1)}, {"b", 1, 1, Sample(1e6)}});
  EXPECT_EQ(both[0].ratio, 1);
  EXPECT_EQ(both[1].ratio, 1);
  EXPECT_FALSE(both[0].note.empty() || both[1].note.empty());
}

class BlendedRatesProperty : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// Factors around 1, as of unequal boards and labels that are wrong.
  double Factor(double most) { return std::exp((2 * rng_.Unit() - 1) * std::log(most)); }
  Nodes Draw() {
    Nodes nodes(static_cast<std::size_t>(2 + rng_.Below(6)));
    for (NodeToBlend& node : nodes) {
      node.name = "node-" + std::to_string(&node - nodes.data());
      node.prior_ratio = 3 * Factor(3);
      node.threads = 1 + static_cast<std::uint32_t>(rng_.Below(8));
      if (rng_.Unit() < 0.8) {
        node.sample = Sample(5 * Factor(2) / node.threads, 20 * Factor(20), rng_.Unit() * 1e5);
      }
    }
    return nodes;
  }

  Rng rng_{GetParam()};
};

TEST_P(BlendedRatesProperty, AFasterNodeNeverWeighsLess) {
  Nodes nodes = Draw();
  const auto chosen = static_cast<std::size_t>(rng_.Below(nodes.size()));
  if (!nodes[chosen].sample) nodes[chosen].sample = Sample(1);
  std::vector<double> before;
  for (int step = 0; step < 8; ++step) {
    const auto blended = Blend(nodes);
    ExpectValidWeights(blended);
    std::vector<double> relative;
    for (const auto& node : blended) relative.push_back(blended[chosen].ratio / node.ratio);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_GE(relative[i], before[i] * (1 - 1e-5)) << "seed " << GetParam() << ", node " << i;
    }
    before = relative;
    nodes[chosen].sample->units *= 1.1;
  }
}

TEST_P(BlendedRatesProperty, TheUnitsDoNotMatter) {
  Nodes nodes = Draw();
  const auto before = Blend(nodes);
  for (NodeToBlend& node : nodes) {
    if (node.sample) node.sample->units *= 1e6;
    node.prior_ratio *= 7;
  }
  const auto after = Blend(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_NEAR(after[i].ratio, before[i].ratio, 1e-5 * before[i].ratio) << "seed " << GetParam();
    EXPECT_NEAR(after[i].confidence, before[i].confidence, 1e-9);
  }
}

TEST_P(BlendedRatesProperty, TheOrderDoesNotMatter) {
  Nodes nodes = Draw();
  const auto before = Blend(nodes);
  std::reverse(nodes.begin(), nodes.end());
  auto after = Blend(nodes);
  std::reverse(after.begin(), after.end());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(after[i].name, before[i].name);
    EXPECT_NEAR(after[i].ratio, before[i].ratio, 1e-5 * before[i].ratio) << "seed " << GetParam();
  }
}

TEST_P(BlendedRatesProperty, WeightsAreValidForAnyInput) {
  const double strange[] = {kNaN, kInfinity, -kInfinity, 0, -1, 1e-308, 1e308, 5e-324, 1, 1e9};
  Nodes nodes = Draw();
  for (NodeToBlend& node : nodes) {
    const auto pick = [&] { return strange[rng_.Below(std::size(strange))]; };
    node.sample = RateSample{pick(), pick(), pick()};
    if (rng_.Unit() < 0.2) node.prior_ratio = 1e6;
  }
  ExpectValidWeights(Blend(nodes));
}

INSTANTIATE_TEST_SUITE_P(Seeds, BlendedRatesProperty, testing::Range<std::uint64_t>(0, 100));

constexpr std::int64_t kWeek = 7 * 86400;

/// The weight of a rise `seconds_ago`.
double WeightAt(std::int64_t seconds_ago) {
  double weight = 0;
  for (const RecencyWindow& window : RecencyWindows(kWeek)) {
    if (seconds_ago <= window.seconds) weight += window.factor;
  }
  return weight;
}

TEST(Recency, OlderWorkCountsLessAndNoneCountsNothing) {
  double before = 1;
  for (std::int64_t ago = 60; ago <= kWeek; ago += 3600) {
    EXPECT_LE(WeightAt(ago), before);
    EXPECT_GT(WeightAt(ago), 0);
    before = WeightAt(ago);
  }
  EXPECT_GT(WeightAt(60), 0.95);
  EXPECT_EQ(WeightAt(kWeek + 1), 0);
}

TEST(Recency, TheWholeTimeIsLookedAt) {
  for (const std::int64_t whole : {std::int64_t{64}, std::int64_t{300}, kWeek}) {
    const auto windows = RecencyWindows(whole);
    EXPECT_EQ(windows.back().seconds, whole);
    for (const RecencyWindow& window : windows) {
      EXPECT_GE(window.seconds, 1);
      EXPECT_GT(window.factor, 0);
    }
  }
}

TEST(Recency, TheMeanAgeFollowsFromWhatIsLeft) {
  EXPECT_EQ(MeanAge(10, 10, kWeek), 0);
  EXPECT_NEAR(MeanAge(10, 5, kWeek), kWeek / 4.0, 1e-6);  // a half-life
  EXPECT_EQ(MeanAge(10, 0, kWeek), 0);
  EXPECT_EQ(MeanAge(0, 0, kWeek), 0);
  EXPECT_EQ(MeanAge(-1, 5, kWeek), 0);
  EXPECT_EQ(MeanAge(1, 5, kWeek), 0);
  EXPECT_EQ(MeanAge(std::numeric_limits<double>::infinity(), 5, kWeek), 0);
  EXPECT_EQ(MeanAge(1e300, 1, kWeek), kWeek);
}

}  // namespace
}  // namespace evenkeel::scheduling
