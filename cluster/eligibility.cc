#include "cluster/eligibility.h"

#include <algorithm>

#include "cluster/names.h"
#include "cluster/worker_size.h"
#include "core/model/names.h"

namespace evenkeel::cluster {
namespace {

std::string ArchitectureOf(const NodeView& node) {
  if (!node.profile.architecture.empty()) return node.profile.architecture;
  const auto label = node.profile.labels.find(label::kArchitecture);
  return label == node.profile.labels.end() ? std::string() : label->second;
}

/// Empty if the image runs there, or if the node does not say what it is.
std::string Unsupported(const NodeView& node, const std::vector<std::string>& architectures) {
  if (!node.operating_system.empty() && node.operating_system != "linux") {
    return node.operating_system;
  }
  const std::string architecture = ArchitectureOf(node);
  const bool runs = architecture.empty() || std::find(architectures.begin(), architectures.end(),
                                                      architecture) != architectures.end();
  return runs ? std::string() : architecture;
}

/// Taints that the node controller sets with another state of the node, which is told by itself.
bool RepeatsState(const Taint& taint, const NodeView& node) {
  if (taint.key == "node.kubernetes.io/unschedulable") return node.unschedulable;
  return (taint.key == "node.kubernetes.io/not-ready" ||
          taint.key == "node.kubernetes.io/unreachable") &&
         !node.ready;
}

}  // namespace

const std::vector<std::string>& ImageArchitectures() {
  static const std::vector<std::string> kArchitectures{"amd64", "arm64", "arm"};
  return kArchitectures;
}

NodeDemands NodeDemandsOf(const WeightedJob& job) {
  NodeDemands demands;
  demands.selector = job.spec.node_selector;
  demands.affinity = job.spec.node_affinity;
  demands.tolerations = job.tolerations;
  if (job.spec.weighting.mode == model::WeightingMode::kExplicit) {
    demands.explicit_weights = job.spec.weighting.explicit_weights;
  }
  demands.requests = WorkerRequests(job);
  demands.room = LeastRoom(job);
  if (job.spec.task_resources.Any()) demands.requester = "a worker with one task";
  if (job.has_files) demands.file_cache_claim = job.spec.file_cache_claim;
  return demands;
}

std::vector<NodeObstacle> FindObstacles(const NodeView& node, const std::optional<Resources>& used,
                                        const NodeDemands& demands) {
  std::vector<NodeObstacle> found;
  if (demands.excluded.contains(node.Name())) {
    found.push_back({Obstacle::kExcluded, "left out because of a wrong result"});
  }
  for (const std::string& label : model::MissingLabels(node.profile, demands.selector)) {
    found.push_back({Obstacle::kSelector, "without label " + label + " of spec.nodes.selector"});
  }
  if (!model::Matches(demands.affinity, node.profile)) {
    found.push_back(
        {Obstacle::kAffinity, "excluded by spec.worker.template.affinity, which requires " +
                                  model::UnmetRequirements(demands.affinity, node.profile)});
  }
  if (const std::string what = Unsupported(node, demands.architectures); !what.empty()) {
    found.push_back({Obstacle::kArchitecture, "of architecture " + what + ", which has no image"});
  }
  if (!node.ready) found.push_back({Obstacle::kNotReady, "not ready"});
  if (node.unschedulable) found.push_back({Obstacle::kCordoned, "cordoned"});
  for (const Taint& taint : node.taints) {
    if (RepeatsState(taint, node) || !FirstUntolerated({taint}, demands.tolerations)) continue;
    const std::string value = taint.value.empty() ? std::string() : "=" + taint.value;
    found.push_back({Obstacle::kTaint, "closed by taint " + taint.key + value + ":" + taint.effect +
                                           ", which spec.nodes.tolerations does not tolerate"});
  }
  // A node that does not say yet what it has may have enough.
  const bool is_known = node.allocatable.cpu_millicores > 0;
  const auto shortages =
      is_known ? FindShortages(demands.requests, node.allocatable) : std::vector<std::string>{};
  if (!shortages.empty()) {
    const std::string& resource = shortages.front();
    found.push_back(
        {Obstacle::kResource, "without enough " + resource + ": it has " +
                                  QuantityText(resource, AmountOf(node.allocatable, resource)) +
                                  ", " + demands.requester + " requests " +
                                  QuantityText(resource, AmountOf(demands.requests, resource))});
  }
  if (demands.explicit_weights && !demands.explicit_weights->contains(node.Name())) {
    found.push_back({Obstacle::kNoWeight, "without a number in spec.weighting.weights"});
  }
  const std::size_t claim_name = model::NameForNode(demands.file_cache_claim, node.Name()).size();
  if (claim_name > model::kMaxDnsSubdomain) {
    found.push_back(
        {Obstacle::kClaimName, "without a claim: spec.worker.fileCacheClaim with its name has " +
                                   std::to_string(claim_name) + " characters, at most " +
                                   std::to_string(model::kMaxDnsSubdomain) + " are allowed"});
  }
  if (used && shortages.empty()) {
    const auto taken = FindShortages(demands.room, node.allocatable - *used);
    if (!taken.empty()) {
      const bool is_extended = model::IsExtendedResource(taken.front());
      found.push_back({Obstacle::kRoom, "without room for what the worker requests" +
                                            (is_extended ? ": " + taken.front() : std::string())});
    }
  }
  return found;
}

NodeEligibility CheckEligibility(const NodeView& node, const Resources& used,
                                 const NodeDemands& demands) {
  std::vector<NodeObstacle> found = FindObstacles(node, used, demands);
  return {&node, found.empty() ? NodeObstacle{} : std::move(found.front())};
}

std::string Summarize(const std::vector<NodeEligibility>& eligibilities) {
  constexpr std::size_t kNamed = 3;
  constexpr std::size_t kReasons = 5;
  if (eligibilities.empty()) return "the cluster has no nodes";
  std::map<std::pair<Obstacle, std::string>, std::vector<std::string>> nodes_by_reason;
  for (const NodeEligibility& eligibility : eligibilities) {
    nodes_by_reason[{eligibility.first.obstacle, eligibility.first.why}].push_back(
        eligibility.node->Name());
  }
  std::string text =
      "none of " + std::to_string(eligibilities.size()) + " nodes can take a worker: ";
  std::size_t reasons = 0;
  for (const auto& [reason, nodes] : nodes_by_reason) {
    if (reason.first == Obstacle::kNone) continue;
    if (reasons++ == kReasons) return text + "; and more";
    if (reasons > 1) text += "; ";
    text += std::to_string(nodes.size()) + " " + reason.second + " (";
    for (std::size_t i = 0; i < std::min(nodes.size(), kNamed); ++i) {
      text += (i > 0 ? ", " : "") + nodes[i];
    }
    text += nodes.size() > kNamed ? ", ...)" : ")";
  }
  return text;
}

}  // namespace evenkeel::cluster
