#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/job_plan_json.h"
#include "operator/manifests/job_objects.h"
#include "tests/unit/cluster/job_objects.h"

namespace evenkeel::cluster {
namespace {

using nlohmann::json;

TEST(PlanConfigMap, IsReadAsItWasWritten) {
  const JobPlan plan{R"({"kind":"WeightedJob"})",
                     {{"pi4", 4.252, 5}, {"pi3", 1, 1}},
                     {"0011", "2233", platform::ParseTimestamp("2026-11-26T09:30:00Z")},
                     4,
                     "evenkeel/worker:1",
                     3,
                     2,
                     {},
                     {},
                     {}};
  const json object = PlanConfigMap(Job(), plan);
  ExpectOwned(object);
  EXPECT_EQ(object["metadata"]["name"], "primes-plan");
  EXPECT_EQ(json::parse(object["data"]["nodes.json"].get<std::string>()), json::parse(R"([
    {"name": "pi4", "ratio": 4.252, "weight": 5}, {"name": "pi3", "ratio": 1.0, "weight": 1}])"));
  EXPECT_EQ(ReadJobPlan(object), plan);
  EXPECT_EQ(ReadJobPlan(json::parse(R"({"data": {"nodes.json": "{"}})")), JobPlan{});
}

TEST(PlanConfigMap, HasTheHistoryBehindTheWeights) {
  JobPlan plan;
  plan.nodes = {
      {"pi4", 8, 8, {}, false, WeightParts{4.25, 81.5, 45.5, 7200, 0.968, 80.25, 0.1, {}}},
      {"pi3", 1, 1, {}, false, WeightParts{1, 0, 0, 0, 0, 10, 0.5, "its history is no rate"}}};
  plan.joined = {{"late", 2, 2, {}, false, WeightParts{2, 0, 0, 0, 0, 0, 0.5, {}}}};
  plan.history = {"Measured", "1 of 3 nodes"};
  const json object = PlanConfigMap(Job(), plan);
  const json nodes = json::parse(object["data"]["nodes.json"].get<std::string>());
  EXPECT_EQ(nodes[0]["rate"], 80.25);
  EXPECT_EQ(nodes[0]["sigma"], 0.1);
  EXPECT_EQ(nodes[0]["parts"]["measured"], 81.5);
  EXPECT_EQ(nodes[1]["parts"]["note"], "its history is no rate");
  EXPECT_EQ(ReadJobPlan(object), plan);
  for (const char* nonsense : {"", "{", "7", R"({"joined": 3, "history": []})"}) {
    json other = object;
    other["data"]["weights.json"] = nonsense;
    EXPECT_TRUE(ReadJobPlan(other).joined.empty()) << nonsense;
    EXPECT_EQ(ReadJobPlan(other).history, HistoryOutcome{});
  }
}

TEST(PlanConfigMap, HasRoomForTenThousandNodes) {
  const WeightParts parts{1.23457, 1.23457e9, 12345.6, 123456, 0.987654, 1.23457e9, 0.123457, {}};
  std::vector<PlannedNode> nodes;
  for (int i = 0; i < 10'000; ++i) {
    nodes.push_back({"node-with-a-name-" + std::to_string(i), 1.234567, 2, {}, false, parts});
  }
  const std::string text = NodesJson(nodes);
  EXPECT_LT(text.size(), 950'000U);
  const json rows = json::parse(text);
  EXPECT_EQ(rows.size(), nodes.size());
  EXPECT_TRUE(rows[1023].contains("parts"));
  EXPECT_FALSE(rows[1024].contains("parts"));
}

TEST(PlanConfigMap, TellsCoordinatorsOnlyWhatTheyTake) {
  const WeightParts absurd{1, 1, 1, 1, 1, 1e300, 0, {}};
  const json row = json::parse(NodesJson({{"a", 1, 1, {}, false, absurd}}))[0];
  EXPECT_FALSE(row.contains("rate"));
  EXPECT_EQ(row["sigma"], 0.01);
  EXPECT_FALSE(json::parse(NodesJson({{"a", 1, 1}}))[0].contains("sigma"));
}

TEST(PlanConfigMap, KeepsTheTasksThatTheRunWasStartedWith) {
  JobPlan plan;
  plan.manifest = R"({"spec":{"nodes":{"maxWorkers":3},"workload":{"command":{"tasks":20}}}})";
  plan.workload = R"({"command":{"tasks":10}})";
  const JobPlan read = ReadJobPlan(PlanConfigMap(Job(), plan));
  EXPECT_EQ(read.workload, plan.workload);
  EXPECT_EQ(read.manifest,
            R"({"spec":{"nodes":{"maxWorkers":3},"workload":{"command":{"tasks":10}}}})");
}

TEST(SnapshotConfigMap, CarriesBytes) {
  const json object = SnapshotConfigMap(Job(), 4, std::string("\x78\x9c\x00", 3));
  ExpectOwned(object);
  EXPECT_EQ(object["binaryData"]["journal.db.z"], "eJwA");
  EXPECT_EQ(ReadSnapshotView(object).attempt, 4);
}

TEST(PlanConfigMap, AuthenticatesEverythingTheOperatorReliesOn) {
  JobPlan plan;
  plan.manifest = "{}";
  plan.image = "evenkeel/worker:1";
  const json object = PlanConfigMap(Job(), plan);
  json changed = object;
  changed["metadata"]["annotations"]["evenkeel.dev/image"] = "example.com/hostile:1";
  EXPECT_NE(AuthenticatedText(changed), AuthenticatedText(object));
  changed = object;
  changed["data"]["job.json"] = "{ }";
  EXPECT_NE(AuthenticatedText(changed), AuthenticatedText(object));
  changed = object;
  changed["metadata"]["annotations"]["evenkeel.dev/digest"] = "x";
  changed["metadata"]["annotations"]["example.com/note"] = "theirs";
  changed["metadata"]["resourceVersion"] = "7";
  EXPECT_EQ(AuthenticatedText(changed), AuthenticatedText(object));
}

TEST(Secrets, HaveOneEntryForEachWorker) {
  const TlsFiles files{"cert", "key"};
  const json coordinator = CoordinatorSecret(Job(), "ca", files, "token");
  ExpectOwned(coordinator);
  EXPECT_EQ(coordinator["type"], "kubernetes.io/tls");
  EXPECT_EQ(coordinator["metadata"]["name"], "primes-coordinator-tls");
  EXPECT_EQ(coordinator["data"],
            json::parse(R"({"ca.crt": "Y2E=", "tls.crt": "Y2VydA==", "tls.key": "a2V5",
                            "operator-token": "dG9rZW4="})"));
  const json worker = WorkerSecret(Job(), "primes-worker-tls", "ca", {{"pod-a", files}});
  ExpectOwned(worker);
  EXPECT_EQ(worker["metadata"]["name"], "primes-worker-tls");
  EXPECT_EQ(worker["data"], json::parse(R"({"ca.crt": "Y2E=", "pod-a.crt": "Y2VydA==",
                                            "pod-a.key": "a2V5"})"));
}

TEST(CoordinatorService, SelectsTheCoordinator) {
  const json service = CoordinatorService(Job(), 2);
  ExpectOwned(service);
  EXPECT_EQ(service["metadata"]["name"], "primes-coordinator");
  EXPECT_EQ(service["spec"]["selector"]["app.kubernetes.io/component"], "coordinator");
  EXPECT_EQ(service["spec"]["selector"]["evenkeel.dev/weighted-job"], "primes");
  EXPECT_EQ(service["spec"]["selector"]["evenkeel.dev/attempt"], "2");
  EXPECT_EQ(service["spec"]["publishNotReadyAddresses"], true);
  EXPECT_EQ(service["spec"]["ports"][0]["port"], 7400);
  EXPECT_EQ(service["spec"]["ports"][1]["port"], 7402);
}

TEST(RatioText, HasNoMoreDigitsThanItNeeds) {
  EXPECT_EQ(RatioText(1), "1");
  EXPECT_EQ(RatioText(4.252), "4.252");
  EXPECT_EQ(RatioText(4.2521234), "4.252123");
  EXPECT_EQ(RatioText(1e6), "1000000");
  EXPECT_EQ(RatioText(100), "100");
}

}  // namespace
}  // namespace evenkeel::cluster
