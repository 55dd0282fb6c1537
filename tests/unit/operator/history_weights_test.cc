#include <gtest/gtest.h>

#include "tests/unit/operator/operator_fixture.h"

namespace evenkeel::controller {
namespace {

using kube::Json;

class OperatorHistory : public OperatorFixture {
 protected:
  void SetUp() override {
    OperatorFixture::SetUp();
    PutNode("pi4-a", 1500);
    PutNode("pi3", 1200);
    rates_.answer = plan::HistoryAnswer{};
    rates_.answer->samples = {{"pi4-a", {1000, 1000, 60}}, {"pi3", {3000, 1000, 60}}};
    PutJob("primes", {{"workload", {{"primes", {{"end", 300000}}}}}, {"profile", "sieve"}});
  }
  [[nodiscard]] Json Plan() const {
    return server_.Find(kConfigMapsPath, "lab", "primes-plan").value_or(Json::object());
  }
  [[nodiscard]] Json PlannedNodes() const {
    return Json::parse(Plan()["data"]["nodes.json"].get<std::string>());
  }
};

TEST_F(OperatorHistory, IsQueriedOnceForTheProfileAndKeptInThePlan) {
  Settle("primes");
  EXPECT_EQ(rates_.requested, (std::set<ProfileKey>{{"lab", "sieve"}}));
  EXPECT_EQ(rates_.requests, 1);
  const Json nodes = PlannedNodes();
  EXPECT_EQ(nodes[0]["name"], "pi3");
  EXPECT_NEAR(nodes[0]["ratio"].get<double>(), 3, 0.15);
  EXPECT_EQ(nodes[0]["parts"]["measured"], 12);
  EXPECT_EQ(Condition("primes", "WeightsMeasured"), "True Measured");
  coordinators_.Answer({{"state", "Running"}, {"progress", 0.25}});
  RunPods();
  Settle("primes");
  ASSERT_TRUE(kube::Eventually([this] { return poller_->Last({"lab", "primes"}).has_value(); }));
  Settle("primes");
  const Json rows = Status("primes").value("workers", Json::array());
  EXPECT_EQ(rows.size(), 2U);
  for (const Json& row : rows) EXPECT_EQ(row["weightSource"], "Measured");
}

TEST_F(OperatorHistory, ASuccessorUsesThePlanWithoutAQuery) {
  Settle("primes");
  RunPods();
  Settle("primes");
  const Json before = Plan();
  JobReconciler successor(JobReconciler::Parts{
      *cache_, *poller_, *events_, pacer_, history_, rates_, clock_, *executor_, {}});
  AwaitCache();
  const auto end = successor.Reconcile({"lab", "primes"});
  EXPECT_FALSE(end.failed) << end.error;
  EXPECT_EQ(Plan(), before);
  EXPECT_EQ(rates_.requests, 1);
  EXPECT_EQ(Condition("primes", "WeightsMeasured"), "True Measured");
}

TEST_F(OperatorHistory, AFailureDelaysNothing) {
  rates_.answer =
      plan::HistoryAnswer{plan::HistoryAnswer::Kind::kUnreachable, {}, "no whole answer in 2 s"};
  Settle("primes");
  EXPECT_EQ(PodNames().size(), 3U);
  EXPECT_FALSE(PlannedNodes()[0].contains("parts"));
  EXPECT_EQ(Condition("primes", "WeightsMeasured"), "False PrometheusUnreachable");
}

}  // namespace
}  // namespace evenkeel::controller
