// Judges each flow by evaluating the policies, as a network plugin would.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "operator/manifests/coordinator_pod.h"
#include "operator/manifests/job_objects.h"
#include "operator/manifests/worker_pod.h"

namespace evenkeel::cluster {
namespace {

using nlohmann::json;

WeightedJob NamedJob(const std::string& name) {
  WeightedJob job;
  job.meta.name = name;
  job.meta.namespace_name = "lab";
  job.spec.workload = "primes";
  return job;
}

struct Party {
  std::string in_namespace;
  json labels;
};

Party Worker(const std::string& job) {
  return {"lab", WorkerPodManifest(NamedJob(job), {})["metadata"]["labels"]};
}

Party Coordinator(const std::string& job) {
  return {"lab", CoordinatorPodManifest(NamedJob(job), {})["metadata"]["labels"]};
}

Party Operator(const std::string& in_namespace = "evenkeel-system") {
  return {in_namespace,
          {{"app.kubernetes.io/name", "evenkeel"}, {"app.kubernetes.io/component", "operator"}}};
}

bool Selects(const json& selector, const json& labels) {
  if (!selector.contains("matchLabels")) return true;
  for (const auto& [key, value] : selector["matchLabels"].items()) {
    if (!labels.contains(key) || labels[key] != value) return false;
  }
  return true;
}

bool IsPeer(const json& peer, const Party& party, const std::string& home) {
  if (peer.contains("podSelector") && !Selects(peer["podSelector"], party.labels)) return false;
  if (!peer.contains("namespaceSelector")) return party.in_namespace == home;
  return Selects(peer["namespaceSelector"], {{"kubernetes.io/metadata.name", party.in_namespace}});
}

bool RuleAdmits(const json& rule, const char* peers, const Party& party, const std::string& home,
                const std::string& protocol, int port) {
  bool admitted = !rule.contains(peers);
  if (!admitted) {
    for (const json& peer : rule[peers]) admitted = admitted || IsPeer(peer, party, home);
  }
  for (const json& one : rule["ports"]) {
    if (one["port"] == port && one["protocol"] == protocol) return admitted;
  }
  return false;
}

/// Whether the policies admit a packet in the direction of `section` ("ingress" or "egress") of
/// `subject`; a pod that no policy selects is open.
bool Admits(const std::vector<json>& policies, const char* section, const Party& subject,
            const Party& other, int port, const std::string& protocol = "TCP") {
  bool selected = false;
  const char* peers = std::string(section) == "ingress" ? "from" : "to";
  for (const json& policy : policies) {
    if (policy["metadata"]["namespace"] != subject.in_namespace) continue;
    if (!Selects(policy["spec"]["podSelector"], subject.labels)) continue;
    selected = true;
    for (const json& rule : policy["spec"][section]) {
      if (RuleAdmits(rule, peers, other, subject.in_namespace, protocol, port)) return true;
    }
  }
  return !selected;
}

class Flows : public testing::Test {
 protected:
  explicit Flows(FlowSettings settings = {"evenkeel-system", {}}) {
    for (const char* name : {"a", "b"}) {
      policies_.push_back(CoordinatorNetworkPolicy(NamedJob(name), settings));
      policies_.push_back(WorkerNetworkPolicy(NamedJob(name), settings));
    }
  }

  bool Flow(const Party& from, const Party& to, int port) {
    return Admits(policies_, "egress", from, to, port) &&
           Admits(policies_, "ingress", to, from, port);
  }

  std::vector<json> policies_;
  const Party stranger_{"lab", {{"app", "web"}}};
  const Party dns_{"kube-system", {{"k8s-app", "kube-dns"}}};
  const Party prometheus_{"monitoring", {{"app", "prometheus"}}};
};

TEST_F(Flows, WorkersReachOnlyTheirCoordinator) {
  EXPECT_TRUE(Flow(Worker("a"), Coordinator("a"), 7400));
  EXPECT_FALSE(Flow(Worker("a"), Coordinator("b"), 7400));
  EXPECT_FALSE(Flow(Worker("a"), Coordinator("a"), 7402));
  EXPECT_FALSE(Flow(Worker("a"), Worker("a"), 7400));
  EXPECT_FALSE(Flow(Worker("a"), stranger_, 80));
  EXPECT_FALSE(Flow(stranger_, Coordinator("a"), 7400));
  const Party elsewhere{"other", Worker("a").labels};
  EXPECT_FALSE(Flow(elsewhere, Coordinator("a"), 7400));
}

TEST_F(Flows, WorkersOfOneJobReachEachOtherForBlocks) {
  EXPECT_TRUE(Flow(Worker("a"), Worker("a"), 7404));
  EXPECT_FALSE(Flow(Worker("a"), Worker("b"), 7404));
  EXPECT_FALSE(Flow(Coordinator("a"), Worker("a"), 7404));
  EXPECT_FALSE(Flow(stranger_, Worker("a"), 7404));
}

TEST_F(Flows, OnlyTheOperatorReachesTheControlPort) {
  EXPECT_TRUE(Flow(Operator(), Coordinator("a"), 7402));
  EXPECT_FALSE(Flow(Operator("lab"), Coordinator("a"), 7402));
  EXPECT_FALSE(Flow(Operator(), Coordinator("a"), 7400));
  EXPECT_FALSE(Flow(stranger_, Coordinator("a"), 7402));
}

TEST_F(Flows, MetricsAreOpenToTheClusterAndPagesToNone) {
  EXPECT_TRUE(Flow(prometheus_, Coordinator("a"), 7401));
  EXPECT_TRUE(Flow(prometheus_, Worker("a"), 7401));
  EXPECT_FALSE(Flow(prometheus_, Coordinator("a"), 7405));
  EXPECT_FALSE(Flow(prometheus_, Coordinator("a"), 7403));
}

TEST_F(Flows, TheWayOutIsDnsOnly) {
  for (const Party& party : {Worker("a"), Coordinator("a")}) {
    EXPECT_TRUE(Admits(policies_, "egress", party, dns_, 53, "UDP"));
    EXPECT_TRUE(Admits(policies_, "egress", party, dns_, 53));
    EXPECT_FALSE(Admits(policies_, "egress", party, dns_, 443));
    EXPECT_FALSE(Admits(policies_, "egress", party, stranger_, 53, "UDP"));
    EXPECT_FALSE(Admits(policies_, "egress", party, {"lab", dns_.labels}, 53, "UDP"));
    EXPECT_FALSE(Admits(policies_, "egress", party, {"kube-system", {{"app", "web"}}}, 53));
  }
  EXPECT_FALSE(Flow(Coordinator("a"), Worker("a"), 7401));
}

class FlowsWithOtherDns : public Flows {
 protected:
  FlowsWithOtherDns() : Flows({"evenkeel-system", {}, false, {"names", {{"app", "resolver"}}}}) {}
};

TEST_F(FlowsWithOtherDns, OnlyTheseNameServersAreReached) {
  EXPECT_TRUE(
      Admits(policies_, "egress", Worker("a"), {"names", {{"app", "resolver"}}}, 53, "UDP"));
  EXPECT_FALSE(Admits(policies_, "egress", Worker("a"), dns_, 53, "UDP"));
}

class FlowsWithAnyDns : public Flows {
 protected:
  FlowsWithAnyDns() : Flows({"evenkeel-system", {}, false, {"", {}}}) {}
};

TEST_F(FlowsWithAnyDns, Port53IsOpenToAll) {
  EXPECT_TRUE(Admits(policies_, "egress", Worker("a"), stranger_, 53, "UDP"));
  EXPECT_FALSE(Admits(policies_, "egress", Worker("a"), stranger_, 443));
}

class RestrictedFlows : public Flows {
 protected:
  RestrictedFlows() : Flows({"evenkeel-system", {"monitoring"}}) {}
};

TEST_F(RestrictedFlows, MetricsMayBeForOneNamespace) {
  EXPECT_TRUE(Flow(prometheus_, Coordinator("a"), 7401));
  EXPECT_FALSE(Admits(policies_, "ingress", Coordinator("a"), stranger_, 7401));
}

}  // namespace
}  // namespace evenkeel::cluster
