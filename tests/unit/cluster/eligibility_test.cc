#include "cluster/eligibility.h"

#include <gtest/gtest.h>

#include <functional>

namespace evenkeel::cluster {
namespace {

using NodeOperator = model::NodeRequirement::Operator;

struct Case {
  const char* name;
  std::function<void(NodeView&, WeightedJob&, Resources&)> change;
  Obstacle want;
  const char* want_why;
};

const Case kCases[] = {
    {"nothing special", [](auto&, auto&, auto&) {}, Obstacle::kNone, ""},
    {"a selector that fits",
     [](auto& node, auto& job, auto&) {
       node.profile.labels["pool"] = "x";
       job.spec.node_selector = {{"pool", "x"}};
     },
     Obstacle::kNone, ""},
    {"a selector with another value",
     [](auto& node, auto& job, auto&) {
       node.profile.labels["pool"] = "y";
       job.spec.node_selector = {{"pool", "x"}};
     },
     Obstacle::kSelector, "without label pool=x of spec.nodes.selector"},
    {"an affinity that matches",
     [](auto& node, auto& job, auto&) {
       node.profile.labels["board"] = "pi4";
       job.spec.node_affinity = {{{{{"board", NodeOperator::kNotIn, {"pi3"}}}, {}}}};
     },
     Obstacle::kNone, ""},
    {"an affinity of two terms that do not match",
     [](auto& node, auto& job, auto&) {
       node.profile.labels["ram-mib"] = "900";
       job.spec.node_affinity = {{{{{"ram-mib", NodeOperator::kGreaterThan, {"1500"}}}, {}},
                                  {{}, {{"metadata.name", NodeOperator::kIn, {"b"}}}}}};
     },
     Obstacle::kAffinity,
     "excluded by spec.worker.template.affinity, which requires ram-mib Gt 1500 or metadata.name "
     "In b"},
    {"an architecture without image",
     [](auto& node, auto&, auto&) { node.profile.architecture = "riscv64"; },
     Obstacle::kArchitecture, "of architecture riscv64, which has no image"},
    {"an architecture known by label only",
     [](auto& node, auto&, auto&) {
       node.profile.architecture.clear();
       node.profile.labels["kubernetes.io/arch"] = "s390x";
     },
     Obstacle::kArchitecture, "of architecture s390x, which has no image"},
    {"another system", [](auto& node, auto&, auto&) { node.operating_system = "windows"; },
     Obstacle::kArchitecture, "of architecture windows, which has no image"},
    {"not ready", [](auto& node, auto&, auto&) { node.ready = false; }, Obstacle::kNotReady,
     "not ready"},
    {"cordoned", [](auto& node, auto&, auto&) { node.unschedulable = true; }, Obstacle::kCordoned,
     "cordoned"},
    {"a taint",
     [](auto& node, auto&, auto&) {
       node.taints = {{"node-role.kubernetes.io/control-plane", "", "NoSchedule"}};
     },
     Obstacle::kTaint,
     "closed by taint node-role.kubernetes.io/control-plane:NoSchedule, which "
     "spec.nodes.tolerations does not tolerate"},
    {"a taint that only asks to stay away",
     [](auto& node, auto&, auto&) {
       node.taints = {{"k", "", "PreferNoSchedule"}};
     },
     Obstacle::kNone, ""},
    {"a taint that is tolerated",
     [](auto& node, auto& job, auto&) {
       node.taints = {{"k", "v", "NoExecute"}};
       job.tolerations = {{"k", "Equal", "v", "", std::nullopt}};
     },
     Obstacle::kNone, ""},
    {"an explicit weight for others only",
     [](auto&, auto& job, auto&) {
       job.spec.weighting.mode = model::WeightingMode::kExplicit;
       job.spec.weighting.explicit_weights = {{"other", 2}};
     },
     Obstacle::kNoWeight, "without a number in spec.weighting.weights"},
    {"a name that makes that of its claim too long",
     [](auto& node, auto& job, auto&) {
       node.profile.name = std::string(248, 'a');
       job.has_files = true;
       job.spec.file_cache_claim = "files-{node}";
     },
     Obstacle::kClaimName,
     "without a claim: spec.worker.fileCacheClaim with its name has 254 characters, at most 253 "
     "are allowed"},
    {"a name that just fits into that of its claim",
     [](auto& node, auto& job, auto&) {
       node.profile.name = std::string(247, 'a');
       job.has_files = true;
       job.spec.file_cache_claim = "files-{node}";
     },
     Obstacle::kNone, ""},
    {"a name that is too long for a claim that is not used",
     [](auto& node, auto& job, auto&) {
       node.profile.name = std::string(248, 'a');
       job.spec.file_cache_claim = "files-{node}";
     },
     Obstacle::kNone, ""},
    {"too little CPU left", [](auto&, auto&, auto& used) { used.cpu_millicores = 3751; },
     Obstacle::kRoom, "without room for what the worker requests"},
    {"just enough CPU left", [](auto&, auto&, auto& used) { used.cpu_millicores = 3750; },
     Obstacle::kNone, ""},
    {"too little memory left",
     [](auto&, auto&, auto& used) { used.memory_bytes = (4LL << 30) - 1; }, Obstacle::kRoom,
     "without room for what the worker requests"},
    {"too little CPU in all",
     [](auto&, auto& job, auto&) {
       job.resources = WithWorkerDefaults({{{"cpu", "5"}}, {}});
     },
     Obstacle::kResource, "without enough cpu: it has 4000m, the worker requests 5000m"},
    {"too little memory for one task",
     [](auto&, auto& job, auto&) { job.spec.task_resources.memory_bytes = 5LL << 30; },
     Obstacle::kResource,
     "without enough memory: it has 4096Mi, a worker with one task requests 5120Mi"},
    {"CPU for half a task",
     [](auto&, auto& job, auto& used) {
       job.spec.task_resources.cpu_millicores = 1000;
       used.cpu_millicores = 3500;
     },
     Obstacle::kNone, ""},
    {"CPU for less than half a task",
     [](auto&, auto& job, auto& used) {
       job.spec.task_resources.cpu_millicores = 1000;
       used.cpu_millicores = 3501;
     },
     Obstacle::kRoom, "without room for what the worker requests"},
    {"no extended resource",
     [](auto&, auto& job, auto&) {
       job.resources = WithWorkerDefaults({{}, {{"nvidia.com/gpu", "2"}}});
     },
     Obstacle::kResource, "without enough nvidia.com/gpu: it has 0, the worker requests 2"},
    {"an extended resource that other pods have",
     [](auto& node, auto& job, auto& used) {
       node.allocatable.extended = {{"nvidia.com/gpu", 2}};
       used.extended = {{"nvidia.com/gpu", 1}};
       job.resources = WithWorkerDefaults({{}, {{"nvidia.com/gpu", "2"}}});
     },
     Obstacle::kRoom, "without room for what the worker requests: nvidia.com/gpu"},
    {"just enough of an extended resource",
     [](auto& node, auto& job, auto& used) {
       node.allocatable.extended = {{"nvidia.com/gpu", 2}, {"hugepages-2Mi", 64 << 20}};
       used.extended = {{"nvidia.com/gpu", 1}};
       job.resources =
           WithWorkerDefaults({{}, {{"nvidia.com/gpu", "1"}, {"hugepages-2Mi", "64Mi"}}});
     },
     Obstacle::kNone, ""},
    {"too many pods", [](auto&, auto&, auto& used) { used.pods = 110; }, Obstacle::kRoom,
     "without room for what the worker requests"},
};

TEST(CheckEligibility, SaysWhyANodeTakesNoWorker) {
  for (const Case& one : kCases) {
    NodeView node;
    node.profile.name = "a";
    node.profile.architecture = "arm64";
    node.ready = true;
    node.allocatable = {4000, 4LL << 30, 110};
    WeightedJob job;
    job.resources = WithWorkerDefaults({});
    Resources used;
    one.change(node, job, used);
    const NodeEligibility eligibility = CheckEligibility(node, used, NodeDemandsOf(job));
    EXPECT_EQ(eligibility.first.obstacle, one.want) << one.name;
    EXPECT_EQ(eligibility.first.why, one.want_why) << one.name;
  }
}

TEST(FindObstacles, NamesAllAndWithoutRoomIfItIsNotKnown) {
  NodeView node;
  node.profile.name = "a";
  node.unschedulable = true;
  node.taints = {{"node.kubernetes.io/unschedulable", "", "NoSchedule"},
                 {"node.kubernetes.io/not-ready", "", "NoExecute"},
                 {"first", "", "NoSchedule"},
                 {"second", "x", "NoExecute"}};
  NodeDemands demands;
  demands.selector = {{"disk", "ssd"}, {"zone", "b"}};
  demands.requests = {100, 0, 1};
  demands.room = demands.requests;
  const auto kinds = [&](const std::optional<Resources>& used) {
    std::vector<Obstacle> found;
    for (const auto& one : FindObstacles(node, used, demands)) found.push_back(one.obstacle);
    return found;
  };
  std::vector<Obstacle> want{Obstacle::kSelector, Obstacle::kSelector, Obstacle::kNotReady,
                             Obstacle::kCordoned, Obstacle::kTaint,    Obstacle::kTaint};
  EXPECT_EQ(kinds(std::nullopt), want);
  want.push_back(Obstacle::kRoom);
  EXPECT_EQ(kinds(Resources{}), want);
}

TEST(Summarize, GroupsNodesByReasonAndIsBounded) {
  EXPECT_EQ(Summarize({}), "the cluster has no nodes");
  std::vector<NodeView> nodes(40);
  std::vector<NodeEligibility> eligibilities;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].profile.name = "n" + std::to_string(i);
    eligibilities.push_back({&nodes[i], {Obstacle::kTaint, "with taint " + std::to_string(i % 8)}});
  }
  const std::string text = Summarize(eligibilities);
  EXPECT_TRUE(
      text.starts_with("none of 40 nodes can take a worker: 5 with taint 0 (n0, n8, n16, "
                       "...); 5 with taint 1"))
      << text;
  EXPECT_TRUE(text.ends_with("; and more")) << text;
  EXPECT_LT(text.size(), 400U);
}

}  // namespace
}  // namespace evenkeel::cluster
