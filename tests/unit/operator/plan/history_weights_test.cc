#include <gtest/gtest.h>

#include <algorithm>

#include "operator/plan/weighting.h"
#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

/// Two Pi 4 and a Pi 3 of four cores each. The Pi 3 turns out to be the fastest.
class HistoryWeights : public testing::Test {
 protected:
  HistoryWeights() {
    cluster_.AddNode(Pi4("a"));
    cluster_.AddNode(Pi4("b"));
    cluster_.AddNode(Pi3("c"));
    cluster_.job.spec.profile = "primes";
  }
  void SetRates(double a, double b, double c) {
    cluster_.prometheus = HistoryAnswer{};
    const std::pair<const char*, double> rates[] = {{"a", a}, {"b", b}, {"c", c}};
    for (const auto& [node, rate] : rates) {
      cluster_.prometheus->samples[node] = {rate * 1000, 1000, 0};
    }
  }
  void Fails(HistoryAnswer::Kind kind) {
    cluster_.prometheus = HistoryAnswer{kind, {}, "http://prometheus:9090 answered 503"};
  }
  void SetMode(model::WeightingMode mode) { cluster_.job.spec.weighting.mode = mode; }
  double Ratio(const std::string& node) { return cluster_.WorkerOn(node)->ratio; }
  const cluster::PlannedNode& Row(const std::string& node) {
    for (const auto* rows : {&cluster_.plan->nodes, &cluster_.plan->joined}) {
      for (const auto& row : *rows) {
        if (row.name == node) return row;
      }
    }
    ADD_FAILURE() << node << " is not in the plan";
    return cluster_.plan->nodes.at(0);
  }
  std::string Source(const std::string& node) {
    for (const auto& row : cluster_.job.status.workers) {
      if (row.node == node) return row.weight_source;
    }
    return "no row";
  }
  [[nodiscard]] std::string WeightsCondition() const {
    return cluster_.Condition("WeightsMeasured");
  }
  [[nodiscard]] bool HasEvent(const std::string& reason) const {
    const auto& events = cluster_.events;
    return std::any_of(events.begin(), events.end(),
                       [&reason](const auto& event) { return event.reason == reason; });
  }
  void TearDown() override { EXPECT_TRUE(cluster_.violations.empty()); }

  ModelCluster cluster_;
};

TEST_F(HistoryWeights, AJobStartsWithTheRatesOfEarlierJobs) {
  SetRates(2, 1, 5);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_NEAR(Ratio("c") / Ratio("b"), 5, 0.25);
  EXPECT_NEAR(Ratio("a") / Ratio("b"), 2, 0.1);
  EXPECT_EQ(cluster_.WorkerOn("c")->weight, 5);
  for (const char* node : {"a", "b", "c"}) EXPECT_EQ(Source(node), "Measured") << node;
  EXPECT_EQ(WeightsCondition(), "True Measured");
  EXPECT_EQ(cluster_.asked, 1);
  EXPECT_FALSE(HasEvent("Measured")) << "that is as it should be, and no news";
}

TEST_F(HistoryWeights, ThePlanKeepsTheParts) {
  SetRates(2, 1, 5);
  ASSERT_TRUE(cluster_.Rest());
  const auto& parts = Row("c").parts;
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->measured, 20);  // four threads
  EXPECT_EQ(parts->fuzzy, 1);
  EXPECT_EQ(parts->busy_seconds, 1000);
  EXPECT_GT(parts->confidence, 0.9);
  EXPECT_NEAR(parts->rate, 20, 1);
  EXPECT_LT(parts->sigma, 0.2);
}

TEST_F(HistoryWeights, WithoutPrometheusNothingIsDifferent) {
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(Source("a"), "Fuzzy");
  EXPECT_EQ(WeightsCondition(), "none");
  EXPECT_TRUE(cluster_.plan->history.reason.empty());
  EXPECT_FALSE(Row("a").parts.has_value());
  EXPECT_GT(Ratio("a"), Ratio("c"));
}

TEST_F(HistoryWeights, ModeFuzzyNeverAsks) {
  SetRates(2, 1, 5);
  SetMode(model::WeightingMode::kFuzzy);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.asked, 0);
  EXPECT_EQ(Source("c"), "Fuzzy");
  EXPECT_EQ(WeightsCondition(), "none");
  EXPECT_GT(Ratio("a"), Ratio("c"));
}

TEST_F(HistoryWeights, ExplicitAndEqualNeverAsk) {
  SetRates(2, 1, 5);
  for (const auto mode : {model::WeightingMode::kExplicit, model::WeightingMode::kEqual}) {
    ModelCluster cluster = cluster_;
    cluster.job.spec.weighting.mode = mode;
    cluster.job.spec.weighting.explicit_weights = {{"a", 1}, {"b", 1}, {"c", 1}};
    ASSERT_TRUE(cluster.Rest());
    EXPECT_EQ(cluster.asked, 0);
    EXPECT_EQ(cluster.Condition("WeightsMeasured"), "none");
  }
}

TEST_F(HistoryWeights, ModeMeasuredReportsWhyThereAreNoRates) {
  SetMode(model::WeightingMode::kMeasured);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(WeightsCondition(), "False NotConfigured");
  EXPECT_TRUE(HasEvent("NotConfigured"));
  EXPECT_EQ(Source("a"), "Fuzzy");
}

TEST_F(HistoryWeights, FailuresAreReportedAndWeightsAreFuzzy) {
  const std::pair<HistoryAnswer::Kind, std::string> cases[] = {
      {HistoryAnswer::Kind::kUnreachable, "PrometheusUnreachable"},
      {HistoryAnswer::Kind::kInvalid, "PrometheusAnswerInvalid"}};
  for (const auto& [kind, reason] : cases) {
    Fails(kind);
    ModelCluster cluster = cluster_;
    ASSERT_TRUE(cluster.Rest());
    EXPECT_EQ(cluster.Condition("WeightsMeasured"), "False " + reason);
    EXPECT_GT(cluster.WorkerOn("a")->ratio, cluster.WorkerOn("c")->ratio);
    const auto told = std::count_if(
        cluster.events.begin(), cluster.events.end(),
        [&reason = reason](const auto& event) { return event.reason == reason && event.warning; });
    EXPECT_EQ(told, 1) << reason;
  }
}

TEST_F(HistoryWeights, TheFirstJobOfAProfileIsNoTrouble) {
  cluster_.prometheus = HistoryAnswer{};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(WeightsCondition(), "False NoHistory");
  EXPECT_FALSE(HasEvent("NoHistory"));
  EXPECT_EQ(Source("a"), "Fuzzy");
  EXPECT_TRUE(Row("a").parts.has_value()) << "explain shows that the history has no rows";
}

TEST_F(HistoryWeights, InvalidRatesAreLeftOut) {
  SetRates(2, 1, 5);
  cluster_.prometheus->samples["c"] = {-1, 1000, 0};
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(Source("a"), "Measured");
  EXPECT_EQ(Source("c"), "Fuzzy");
  EXPECT_FALSE(Row("c").parts->note.empty());
  EXPECT_EQ(WeightsCondition(), "True Measured");
}

TEST_F(HistoryWeights, AJoiningNodeTriggersAQuery) {
  cluster_.nodes.erase("c");
  SetRates(2, 1, 5);
  ASSERT_TRUE(cluster_.Rest());
  const double before = Ratio("b");
  cluster_.AddNode(Pi3("c"));
  SetRates(2, 1, 3);  // the history has these figures by now
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.asked, 2);
  EXPECT_EQ(Ratio("b"), before);
  EXPECT_NEAR(Ratio("c") / Ratio("b"), 3, 0.2);
  EXPECT_EQ(Source("c"), "Measured");
  ASSERT_EQ(cluster_.plan->joined.size(), 1U);
  EXPECT_EQ(cluster_.plan->nodes.size(), 2U);
}

TEST_F(HistoryWeights, ThePlanKeepsABoundedNumberOfJoinedNodes) {
  cluster_.job.spec.max_workers = 100;
  SetRates(2, 1, 5);
  ASSERT_TRUE(cluster_.Rest());
  for (int i = 0; i < 70; ++i) cluster_.AddNode(Pi3("joined-" + std::to_string(i)));
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerNodes().size(), 73U);
  EXPECT_EQ(cluster_.plan->joined.size(), cluster::kMaxWorkerRows);
}

TEST_F(HistoryWeights, AResumedJobTriggersAQuery) {
  cluster_.job.result_claim = "claim";
  SetRates(2, 1, 5);
  ASSERT_TRUE(cluster_.Rest());
  cluster_.ChangeSpec([](auto& job) { job.suspend = true; });
  ASSERT_TRUE(cluster_.Rest());
  cluster_.ChangeSpec([](auto& job) { job.suspend = false; });
  SetRates(2, 1, 3);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.asked, 2);
  EXPECT_NEAR(Ratio("c") / Ratio("b"), 3, 0.2);
  EXPECT_EQ(Row("c").ratio, Ratio("c"));
}

TEST_F(HistoryWeights, ASuccessorStartsWithTheLatestRates) {
  cluster_.job.result_claim = "claim";
  SetRates(2, 1, 5);
  ASSERT_TRUE(cluster_.Rest());
  SetRates(2, 1, 3);
  cluster_.DeletePod(cluster_.Coordinator()->name);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.asked, 2);
  EXPECT_NEAR(Row("c").ratio / Row("b").ratio, 3, 0.2);
  // The status shows what the coordinator goes by, not what the pod was made with.
  for (const auto& row : cluster_.job.status.workers) EXPECT_EQ(row.weight, Row(row.node).weight);
}

TEST_F(HistoryWeights, ALaterFailureKeepsTheWeights) {
  cluster_.job.result_claim = "claim";
  SetRates(2, 1, 5);
  ASSERT_TRUE(cluster_.Rest());
  const auto before = cluster_.plan->nodes;
  Fails(HistoryAnswer::Kind::kUnreachable);
  cluster_.DeletePod(cluster_.Coordinator()->name);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.plan->nodes, before);
  EXPECT_EQ(Source("c"), "Measured");
  EXPECT_EQ(WeightsCondition(), "True Measured");
}

TEST_F(HistoryWeights, ALaterWeightStaysWithoutNewRates) {
  cluster_.job.result_claim = "claim";
  SetRates(2, 1, 5);
  ASSERT_TRUE(cluster_.Rest());
  SetRates(2, 1, 3);  // the next coordinator uses it, while pods keep theirs
  cluster_.DeletePod(cluster_.Coordinator()->name);
  ASSERT_TRUE(cluster_.Rest());
  const auto before = cluster_.plan->nodes;
  Fails(HistoryAnswer::Kind::kInvalid);
  cluster_.DeletePod(cluster_.Coordinator()->name);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.plan->nodes, before);
}

TEST_F(HistoryWeights, IdlesWithoutFurtherQueries) {
  SetRates(2, 1, 5);
  ASSERT_TRUE(cluster_.Rest());
  const int asked = cluster_.asked;
  cluster_.Steps(20);
  EXPECT_EQ(cluster_.asked, asked);
}

TEST_F(HistoryWeights, ThereIsNoQueryWithoutAnEligibleNode) {
  SetRates(2, 1, 5);
  for (const char* node : {"a", "b", "c"}) cluster_.SetReady(node, false);
  cluster_.Steps(3);
  EXPECT_EQ(cluster_.asked, 0);
  EXPECT_EQ(WeightsCondition(), "none");
}

}  // namespace
}  // namespace evenkeel::plan
