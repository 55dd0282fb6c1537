#include "cli/kubectl/node_eligibility.h"

#include <gtest/gtest.h>

namespace evenkeel::cli {
namespace {

using nlohmann::json;
using Reasons = std::vector<std::string>;

json Node() {
  return json::parse(R"({"metadata": {"name": "a", "labels": {"disk": "ssd"}},
    "status": {"conditions": [{"type": "Ready", "status": "True"}],
               "nodeInfo": {"operatingSystem": "linux"}}})");
}

json Taint(const std::string& key, const std::string& value, const std::string& effect) {
  return {{"key", key}, {"value", value}, {"effect", effect}};
}

TEST(NodeEligibility, NothingToBeSeen) { EXPECT_EQ(WhatKeepsOff(Node(), {}), Reasons{}); }

TEST(NodeEligibility, EachReasonInWords) {
  JobObject job;
  job.selector = {{"disk", "nvme"}, {"zone", "b"}};
  json node = Node();
  node["spec"]["unschedulable"] = true;
  node["spec"]["taints"] = {Taint("node.kubernetes.io/unschedulable", "", "NoSchedule"),
                            Taint("only", "me", "NoExecute"),
                            Taint("soft", "", "PreferNoSchedule")};
  node["status"]["conditions"] = json::parse(
      R"([{"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting"}])");
  node["status"]["nodeInfo"]["operatingSystem"] = "windows";
  EXPECT_EQ(WhatKeepsOff(node, job),
            (Reasons{"is cordoned (kubectl uncordon lets it in again)",
                     "is not ready: Kubelet stopped posting",
                     "spec.nodes.selector asks for disk=nvme, the node has \"ssd\"",
                     "spec.nodes.selector asks for zone=b, the node has none",
                     "has the taint only=me:NoExecute, which spec.nodes.tolerations does not "
                     "tolerate",
                     "runs windows, workers need linux"}));
}

TEST(NodeEligibility, ANodeThatSaysNothing) {
  for (const json& node : {json(), json::object(), json{{"status", 5}, {"spec", "x"}}}) {
    EXPECT_EQ(WhatKeepsOff(node, {}), Reasons{"has not reported yet that it is ready"});
  }
}

TEST(NodeEligibility, TolerationsAsTheSchedulerTakesThem) {
  const struct {
    const char* toleration;
    bool want;
  } cases[] = {
      {R"({"operator": "Exists"})", true},
      {R"({"key": "k", "operator": "Exists"})", true},
      {R"({"key": "k", "value": "v"})", true},
      {R"({"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"})", true},
      {R"({"key": "k", "value": "w"})", false},
      {R"({"key": "k"})", false},
      {R"({"key": "l", "operator": "Exists"})", false},
      {R"({"key": "k", "operator": "Exists", "effect": "NoExecute"})", false},
      {R"({})", false},
      {R"(5)", false},
  };
  json node = Node();
  node["spec"]["taints"] = json::array({Taint("k", "v", "NoSchedule")});
  for (const auto& one : cases) {
    JobObject job;
    job.tolerations = json::array({json::parse(one.toleration)});
    EXPECT_EQ(WhatKeepsOff(node, job).empty(), one.want) << one.toleration;
  }
}

}  // namespace
}  // namespace evenkeel::cli
