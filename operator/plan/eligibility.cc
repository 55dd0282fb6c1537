#include "operator/plan/eligibility.h"

#include <algorithm>
#include <utility>

#include "cluster/names.h"

namespace evenkeel::plan {
namespace {

std::string MissingLabel(const cluster::NodeView& node, const cluster::WeightedJob& job) {
  for (const auto& [key, value] : job.spec.node_selector) {
    const auto label = node.profile.labels.find(key);
    if (label == node.profile.labels.end() || label->second != value) return key + "=" + value;
  }
  return {};
}

std::string ArchitectureOf(const cluster::NodeView& node) {
  if (!node.profile.architecture.empty()) return node.profile.architecture;
  const auto label = node.profile.labels.find(cluster::label::kArchitecture);
  return label == node.profile.labels.end() ? std::string() : label->second;
}

/// Empty if the image runs there, or if the node does not say what it is.
std::string Unsupported(const cluster::NodeView& node, const OperatorSettings& settings) {
  if (!node.operating_system.empty() && node.operating_system != "linux") {
    return node.operating_system;
  }
  const std::string architecture = ArchitectureOf(node);
  const auto& known = settings.architectures;
  const bool runs =
      architecture.empty() || std::find(known.begin(), known.end(), architecture) != known.end();
  return runs ? std::string() : architecture;
}

bool HasWeight(const cluster::NodeView& node, const cluster::WeightedJob& job) {
  return job.spec.weighting.mode != model::WeightingMode::kExplicit ||
         job.spec.weighting.explicit_weights.contains(node.Name());
}

cluster::Resources RoomOf(const cluster::NodeView& node, const cluster::Resources& used) {
  return node.allocatable - used;
}

}  // namespace

NodeEligibility CheckEligibility(const cluster::NodeView& node, const cluster::Resources& used,
                                 const cluster::WeightedJob& job,
                                 const OperatorSettings& settings) {
  const auto no = [&node](Obstacle obstacle, std::string why) {
    return NodeEligibility{&node, obstacle, std::move(why)};
  };
  if (const std::string label = MissingLabel(node, job); !label.empty()) {
    return no(Obstacle::kSelector, "without label " + label);
  }
  if (const std::string what = Unsupported(node, settings); !what.empty()) {
    return no(Obstacle::kArchitecture, "of architecture " + what + ", which has no image");
  }
  if (!node.ready) return no(Obstacle::kNotReady, "not ready");
  if (node.unschedulable) return no(Obstacle::kCordoned, "cordoned");
  if (const auto taint = cluster::FirstUntolerated(node.taints, job.tolerations)) {
    return no(Obstacle::kTaint, "with untolerated taint " + taint->key + ":" + taint->effect);
  }
  if (!HasWeight(node, job)) {
    return no(Obstacle::kNoWeight, "without a number in spec.weighting.weights");
  }
  if (!cluster::Fits(cluster::WorkerRequests(job), RoomOf(node, used))) {
    return no(Obstacle::kRoom, "without room for what the worker requests");
  }
  return no(Obstacle::kNone, {});
}

EligibilityChecker::EligibilityChecker(const Snapshot& snapshot) : snapshot_(&snapshot) {
  for (const cluster::PodView& pod : snapshot.pods) {
    if (pod.role != cluster::PodRole::kWorker || pod.Ended() || pod.NodeForRoom().empty()) continue;
    cluster::Resources& own = own_workers_[pod.NodeForRoom()];
    own = own + pod.requests;
  }
}

NodeEligibility EligibilityChecker::operator()(const cluster::NodeView& node) const {
  const auto at = [&node](const Requests& requests) {
    const auto found = requests.find(node.Name());
    return found == requests.end() ? cluster::Resources{} : found->second;
  };
  return CheckEligibility(node, at(*snapshot_->requests) - at(own_workers_), snapshot_->job,
                          snapshot_->settings);
}

std::string Summarize(const std::vector<NodeEligibility>& eligibilities) {
  constexpr std::size_t kNamed = 3;
  constexpr std::size_t kReasons = 5;
  if (eligibilities.empty()) return "the cluster has no nodes";
  std::map<std::pair<Obstacle, std::string>, std::vector<std::string>> nodes_by_reason;
  for (const NodeEligibility& eligibility : eligibilities) {
    nodes_by_reason[{eligibility.obstacle, eligibility.why}].push_back(eligibility.node->Name());
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

}  // namespace evenkeel::plan
