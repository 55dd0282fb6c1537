#include "cli/kubectl/explanation.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/kubectl/explain_command.h"
#include "tests/unit/cli/kubectl/memory_cluster.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

constexpr double kExplainedAt = 1'772'357'460;  // 2026-03-01T09:31:00Z

json Node(const std::string& name, const std::string& model, const std::string& arch) {
  return {{"metadata",
           {{"name", name},
            {"labels",
             {{"hardware.evenkeel.dev/model", model}, {"hardware.evenkeel.dev/ram-mib", "2048"}}}}},
          {"status",
           {{"capacity", {{"cpu", "4"}}},
            {"nodeInfo", {{"architecture", arch}, {"operatingSystem", "linux"}}},
            {"conditions", json::array({{{"type", "Ready"}, {"status", "True"}}})}}}};
}

class Explanations : public testing::Test {
 protected:
  void SetUp() override {
    cluster_.objects[kJobs + " primes"] = json::parse(R"({
      "metadata": {"name": "primes", "namespace": "lab", "generation": 1,
                   "creationTimestamp": "2026-03-01T09:29:00Z"},
      "spec": {},
      "status": {"tasks": {"total": 100, "completed": 50}, "progress": "50%",
        "startTime": "2026-03-01T09:30:00Z",
        "conditions": [{"type": "Progressing", "status": "True", "reason": "Running",
                        "message": "2 of 2 workers run", "observedGeneration": 1,
                        "lastTransitionTime": "2026-03-01T09:30:00Z"}]}})");
    cluster_.objects["configmaps primes-plan --namespace=lab"] = {
        {"data", {{"nodes.json", R"([{"name": "pi4", "ratio": 4.25, "weight": 5},
                             {"name": "pi3", "ratio": 1, "weight": 1}])"}}}};
    json cordoned = Node("pi5", "raspberry-pi-5", "arm64");
    cordoned["spec"]["unschedulable"] = true;
    cluster_.objects["nodes"] = {{"items",
                                  {Node("pi4", "raspberry-pi-4b", "arm64"),
                                   Node("pi3", "raspberry-pi-3b", "arm"), cordoned}}};
  }

  std::string Explained() {
    const auto explanation = GatherExplanation("primes", cluster_);
    if (!explanation) return "error: " + explanation.error().message;
    std::ostringstream out;
    WriteExplanation(*explanation, kExplainedAt, out);
    return out.str();
  }
  json& Job() { return cluster_.objects[kJobs + " primes"]; }

  MemoryCluster cluster_;
};

TEST_F(Explanations, AJobThatRuns) {
  EXPECT_EQ(Explained(),
            R"(primes in namespace lab: Progressing, 50% done (50 of 100 tasks): 2 of 2 workers run

Conditions
  Progressing: yes, for 60 s, Running: 2 of 2 workers run

Weights (policy default, mode Auto)
Weights are estimated from labels and earlier jobs, and corrected by measured times.
NODE    cpu  cores  osBits    ram  extraLoad  VALUE  RATIO  WEIGHT
pi4   1.000  1.000   1.000  1.000      1.000  1.000  4.250       5
pi3   0.471  1.000   0.500  1.000      1.000  0.235  1.000       1

pi4: cpu cortex-a72 1500 MHz, cores 4, osBits 64, ram 2048, extraLoad norm
pi3: cpu cortex-a53 1200 MHz, cores 4, osBits 32, ram 2048, extraLoad norm

Nodes that are not used
  pi5: is cordoned (kubectl uncordon lets it in again)

Last events
  none (the cluster keeps them for an hour)
)");
}

TEST_F(Explanations, ARatioThatThePolicyRoundedUpHasNotChanged) {
  Job()["spec"]["weighting"]["policy"] = "paper";
  const std::string text = Explained();
  const auto planned = text.find("was planned with a ratio of 4.250, by now it has 5.000");
  EXPECT_NE(planned, std::string::npos) << "the paper's policy divides by whole numbers:\n" << text;
  cluster_.objects["configmaps primes-plan --namespace=lab"]["data"]["nodes.json"] =
      R"([{"name": "pi4", "ratio": 5, "weight": 5}, {"name": "pi3", "ratio": 1, "weight": 1}])";
  EXPECT_EQ(Explained().find("was planned"), std::string::npos) << Explained();
}

TEST_F(Explanations, WhatHasChangedSinceTheRunWasPlanned) {
  cluster_.objects["configmaps primes-plan --namespace=lab"]["data"]["nodes.json"] =
      R"([{"name": "pi4", "ratio": 3}, {"name": "pi3", "ratio": 1}, {"name": "gone", "ratio": 2}])";
  const std::string text = Explained();
  EXPECT_NE(text.find("pi4: was planned with a ratio of 3.000, by now it has 4.250"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("gone: is planned with a ratio of 2.000, but has left the cluster"),
            std::string::npos);
  EXPECT_EQ(text.find("pi3: was planned"), std::string::npos);
}

TEST_F(Explanations, BeforeAnythingIsPlanned) {
  cluster_.objects.erase("configmaps primes-plan --namespace=lab");
  Job().erase("status");
  const std::string text = Explained();
  EXPECT_NE(text.find("primes in namespace lab: Pending\n"), std::string::npos) << text;
  EXPECT_NE(text.find("made 2 min ago: does evenkeel-operator run?"), std::string::npos);
  EXPECT_NE(text.find("Nothing is planned yet"), std::string::npos);
  EXPECT_NE(text.find("pi4   1.000"), std::string::npos);
}

TEST_F(Explanations, WhatTheJobSaysOfItsTasks) {
  EXPECT_EQ(Explained().find("Tasks\n"), std::string::npos);
  Job()["spec"] = json::parse(R"({"profile": "scenes",
    "workload": {"command": {"cost": {"learned": true}, "range": {"tasks": 86400, "maxTasks": 500},
                             "reduce": ["sh", "-c", "cat\nx"]}},
    "worker": {"taskResources": {"cpu": 2, "memory": "1500Mi"}}})");
  EXPECT_NE(
      Explained().find("\nTasks\n  costs: learned from earlier runs of profile scenes; they are "
                       "hints, and dropped if measured times do not follow them\n"),
      std::string::npos);
  EXPECT_NE(Explained().find(R"(
  ranges: one run of the command does many of the 86400 tasks, at most 500
  needs of each: cpu 2, memory 1500Mi; a node runs as many at a time as fit
  after the last one: sh -c cat x
)"),
            std::string::npos)
      << Explained();
  Job()["spec"]["workload"]["command"] = json::parse(R"({"cost": {"column": 2}})");
  EXPECT_NE(Explained().find("  costs: column 2 of the file of arguments;"), std::string::npos);
}

TEST_F(Explanations, JobsThatHaveToBeCompleteFirst) {
  cluster_.objects.erase("configmaps primes-plan --namespace=lab");
  Job()["spec"]["after"] = {"fetch", "extract", "load", "--all"};
  Job()["status"] = json::parse(R"({"after": [{"name": "fetch", "uid": "u"}],
      "conditions": [{"type": "Progressing", "status": "False", "reason": "WaitingForJobs",
                      "message": "waits for extract and load"}]})");
  json extract = Job();
  extract["metadata"]["name"] = "extract";
  extract["spec"].erase("after");
  extract["status"] = json::parse(R"({"tasks": {"total": 10, "completed": 4}, "progress": "40%",
      "conditions": [{"type": "Progressing", "status": "True", "reason": "Running",
                      "message": "workers run"}]})");
  cluster_.objects[kJobs + " extract --namespace=lab"] = extract;
  const std::string text = Explained();
  EXPECT_TRUE(
      text.starts_with("primes in namespace lab: WaitingForJobs: waits for extract and load\n"))
      << text;
  EXPECT_NE(text.find("\nStarts after these jobs\n"
                      "  fetch: was complete\n"
                      "  extract: Progressing, 40% done (4 of 10 tasks): workers run\n"
                      "  load: (NotFound): " +
                      kJobs + " load --namespace=lab not found\n  --all: JOB: must be the name"),
            std::string::npos)
      << text;
  Job()["status"]["startTime"] = "2026-03-01T09:30:00Z";
  EXPECT_EQ(Explained().find("Starts after"), std::string::npos);
}

TEST_F(Explanations, NoNodeAtAll) {
  cluster_.objects.erase("configmaps primes-plan --namespace=lab");
  Job()["spec"]["nodes"]["selector"]["matchLabels"]["disk"] = "ssd";
  const std::string text = Explained();
  EXPECT_NE(text.find("There are none.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("pi3: is without label disk=ssd of spec.nodes.selector\n"),
            std::string::npos);
}

TEST_F(Explanations, APolicyOfTheCluster) {
  Job()["spec"]["weighting"]["policy"] = "memory";
  EXPECT_NE(Explained().find("Not to be seen: (NotFound): weightingpolicies"), std::string::npos);
  cluster_.objects[kPolicies + " memory"] = json::parse(R"({
    "apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightingPolicy",
    "metadata": {"name": "memory", "uid": "u", "resourceVersion": "5"},
    "spec": {"criteria": [{"name": "ram", "labels": ["hardware.evenkeel.dev/ram-mib"],
                           "kind": "Numeric", "exponent": 1}]}})");
  const std::string text = Explained();
  EXPECT_NE(text.find("NODE    ram  VALUE  RATIO  WEIGHT\n"), std::string::npos) << text;
}

TEST_F(Explanations, OtherModesAreNotEstimated) {
  for (const auto& [mode, words] : {std::pair("Explicit", "spec.weighting.weights"),
                                    std::pair("Equal", "All nodes weigh the same")}) {
    Job()["spec"]["weighting"]["mode"] = mode;
    const std::string text = Explained();
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_NE(text.find("NODE  RATIO  WEIGHT\npi3   1.000       1\npi4   4.250       5\n"),
              std::string::npos);
  }
}

TEST_F(Explanations, WhatEarlierJobsSay) {
  json& plan = cluster_.objects["configmaps primes-plan --namespace=lab"]["data"];
  plan["nodes.json"] = R"([
    {"name": "pi4", "ratio": 8, "weight": 8, "rate": 80.5, "sigma": 0.1, "parts": {"fuzzy": 4.25,
     "measured": 81, "busySeconds": 45.5, "ageSeconds": 7300, "confidence": 0.968}},
    {"name": "pi3", "ratio": 1, "weight": 1, "sigma": 0.5, "parts": {"fuzzy": 1, "measured": 0,
     "busySeconds": 0, "ageSeconds": 0, "confidence": 0, "note": "its history is no rate"}}])";
  plan["weights.json"] = R"({"history": {"reason": "Measured", "message": "1 of 2 nodes"},
    "joined": [{"name": "late", "ratio": 2, "parts": {"fuzzy": 2, "measured": "x"}}, 7]})";
  const std::string text = Explained();
  EXPECT_NE(text.find(R"(
Earlier jobs: 1 of 2 nodes
NODE  FUZZY     RATE  SAMPLE  AGE  CONFIDENCE  RATIO      FROM
pi4   4.250  81.0 /s  45.5 s  2 h         97%  8.000  Measured
pi3   1.000        -       -    -          0%  1.000     Fuzzy
late  2.000        -       -    -          0%  2.000     Fuzzy
pi3: its history is no rate
)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("was planned"), std::string::npos) << text;
  for (const char* nonsense : {"", "[", "7", "{\"history\": 3}", "{\"joined\": {}}"}) {
    plan["weights.json"] = nonsense;
    EXPECT_EQ(Explained().find("Earlier jobs"), std::string::npos) << nonsense;
  }
}

TEST_F(Explanations, ReportsWhatMayNotBeRead) {
  cluster_.objects.erase("nodes");
  const std::string text = Explained();
  EXPECT_NE(text.find("Not to be seen: (NotFound): nodes not found\nNODE  RATIO  WEIGHT\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("Nodes that are not used"), std::string::npos);
}

TEST_F(Explanations, MoreNodesThanWorkers) {
  Job()["spec"]["nodes"]["maxWorkers"] = 2;
  cluster_.objects["nodes"]["items"].push_back(Node("pi4-b", "raspberry-pi-4b", "arm64"));
  EXPECT_NE(Explained().find("pi4-b: spec.nodes.maxWorkers is 2, others were taken\n"),
            std::string::npos);
  Job()["spec"]["nodes"]["maxWorkers"] = 3;
  EXPECT_NE(Explained().find("pi4-b: nothing on the node speaks against it; what the worker "
                             "requests may not fit beside its other pods, which you may not list"),
            std::string::npos);
}

TEST_F(Explanations, EachObstacleInWords) {
  json node = Node("odd", "raspberry-pi-4b", "riscv64");
  node["spec"] = json::parse(R"({"unschedulable": true, "taints": [
      {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
      {"key": "only", "value": "me", "effect": "NoExecute"},
      {"key": "soft", "effect": "PreferNoSchedule"}]})");
  node["status"]["conditions"] = json::parse(
      R"([{"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting"}])");
  cluster_.objects["nodes"]["items"].push_back(node);
  Job()["spec"]["nodes"]["selector"]["matchLabels"] = {{"disk", "nvme"}, {"zone", "b"}};
  Job()["spec"]["workload"] = {{"primes", {{"end", 1000}}}};
  Job()["spec"]["worker"]["template"]["affinity"] = json::parse(R"({"nodeAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "ram-mib", "operator": "Gt", "values": ["1500"]}]}]}}})");
  const std::string text = Explained();
  for (const char* reason :
       {"is without label disk=nvme of spec.nodes.selector",
        "is excluded by spec.worker.template.affinity, which requires ram-mib Gt 1500",
        "is without label zone=b of spec.nodes.selector",
        "is of architecture riscv64, which has no image", "is not ready: Kubelet stopped posting",
        "is cordoned (kubectl uncordon lets it in again)",
        "is closed by taint only=me:NoExecute, which spec.nodes.tolerations does not tolerate"}) {
    EXPECT_NE(text.find(reason), std::string::npos) << reason << '\n' << text;
  }
  EXPECT_EQ(text.find("soft"), std::string::npos);
  EXPECT_EQ(text.find("taint node.kubernetes.io"), std::string::npos);
}

TEST_F(Explanations, ANodeWhoseRoomOtherPodsTake) {
  json node = Node("pi4-b", "raspberry-pi-4b", "arm64");
  node["status"]["allocatable"] = {{"cpu", "4"}, {"memory", "4Gi"}, {"pods", "110"}};
  cluster_.objects["nodes"]["items"].push_back(node);
  Job()["metadata"]["uid"] = "u1";
  const auto pods = [&](const char* owner) {
    json pod = json::parse(R"({"metadata": {"name": "p", "labels": {
        "app.kubernetes.io/component": "worker"}}, "spec": {"nodeName": "pi4-b", "containers": [
        {"resources": {"requests": {"cpu": "3900m"}}}]}})");
    pod["metadata"]["ownerReferences"] = {{{"uid", owner}, {"controller", true}}};
    cluster_.objects
        ["pods --all-namespaces --field-selector "
         "status.phase!=Succeeded,status.phase!=Failed"] = {{"items", json::array({pod})}};
  };
  pods("another job");
  EXPECT_NE(Explained().find("pi4-b: is without room for what the worker requests\n"),
            std::string::npos);
  pods("u1");
  EXPECT_NE(Explained().find("pi4-b: nothing speaks against it: it came later"), std::string::npos);
}

TEST_F(Explanations, NodesThatAreLeftOutToSaveEnergy) {
  cluster_.objects["configmaps primes-plan --namespace=lab"]["data"]["nodes.json"] =
      R"([{"name": "pi4", "ratio": 4.25, "weight": 5, "powerWatts": 6.4, "idlePowerWatts": 2.7},
          {"name": "pi3", "ratio": 1, "weight": 1, "leftOut": true}])";
  const std::string text = Explained();
  EXPECT_NE(text.find("  pi3: objective Energy leaves it out: the others need fewer joules for the "
                      "same work, and keep within the job's timeFactor\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("pi3: is planned"), std::string::npos);
}

TEST_F(Explanations, Events) {
  cluster_.objects
      ["events --namespace=lab --field-selector "
       "involvedObject.kind=WeightedJob,involvedObject.name=primes"] =
      json::parse(
          R"({"items": [{"reason": "NoRoom", "type": "Warning",
                     "message": "pi5 is full", "count": 3,
                     "lastTimestamp": "2026-03-01T09:30:30Z"}]})");
  EXPECT_NE(Explained().find("Last events\n  30 s ago: warning, NoRoom: pi5 is full (3 times)\n"),
            std::string::npos);
}

TEST_F(Explanations, NoSuchJob) {
  cluster_.objects.clear();
  EXPECT_EQ(Explained(), "error: (NotFound): " + kJobs + " primes not found");
  EXPECT_EQ(GatherExplanation("../x", cluster_).error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace evenkeel::cli
