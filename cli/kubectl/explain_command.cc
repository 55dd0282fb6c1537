#include "cli/kubectl/explain_command.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cli/human_text.h"
#include "cli/kubectl/object_places.h"
#include "cluster/eligibility.h"
#include "cluster/json_fields.h"
#include "cluster/node_and_pod_json.h"
#include "cluster/weighted_job_json.h"
#include "core/model/node_parsing.h"
#include "core/model/policy_parsing.h"
#include "core/model/task_description.h"
#include "core/scheduling/fuzzy/builtin_policies.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kEvents = 10;

json NodeList(json items) {
  return {{"apiVersion", "v1"}, {"kind", "NodeList"}, {"items", std::move(items)}};
}

/// Only the fields that determine weights; the rest of a Node is much longer.
json Trimmed(const json& node) {
  json trimmed;
  for (const char* place : {"/metadata/name", "/metadata/labels", "/metadata/annotations",
                            "/status/capacity", "/status/nodeInfo"}) {
    const json& value = ValueAt(node, place);
    if (!value.is_null()) trimmed[json::json_pointer(place)] = value;
  }
  return trimmed;
}

std::string NameOf(const json& object) { return Printable(TextAt(object, "/metadata/name"), 253); }

std::vector<model::TaskNote> DescribeTasksOf(const json& job) {
  const json& spec = cluster::Child(job, "spec");
  return model::DescribeTasks({cluster::Child(cluster::Child(spec, "workload"), "command"),
                               cluster::Quantities(cluster::Child(spec, "worker"), "taskResources"),
                               cluster::Text(spec, "profile")})
      .notes;
}

/// An object of the cluster counts, even one that has the name of a policy that is known anyway.
Result<model::WeightingPolicy> ReadPolicy(const std::string& name, Cluster& cluster) {
  const auto object = cluster.Get({kPolicies, name});
  if (object) return model::ParsePolicy(object->dump(), "policy " + name);
  if (auto builtin = scheduling::FindBuiltinPolicy(name)) return *builtin;
  return tl::unexpected(object.error());
}

/// The ratios in nodes.json of the ConfigMap JOB-plan. Nodes that get no work, to save energy, are
/// left out.
std::map<std::string, double> ReadRatios(const json& plan, std::set<std::string>& left_out) {
  const json nodes = json::parse(TextAt(plan, "/data/nodes.json"), nullptr, false);
  std::map<std::string, double> ratios;
  if (!nodes.is_array()) return ratios;
  for (const json& node : nodes) {
    if (!node.is_object() || !node.contains("name") || !node["name"].is_string()) continue;
    if (ValueAt(node, "/leftOut") == true) {
      left_out.insert(Printable(node["name"].get<std::string>(), 253));
      continue;
    }
    const bool has_ratio = node.contains("ratio") && node["ratio"].is_number();
    ratios[Printable(node["name"].get<std::string>(), 253)] =
        has_ratio ? node["ratio"].get<double>() : 1.0;
  }
  return ratios;
}

/// Nothing before there is one.
void ReadPlan(Cluster& cluster, Explanation& explanation) {
  const JobObject& job = explanation.job;
  const auto plan =
      cluster.Get({"configmaps", job.name + "-plan", "--namespace=" + job.name_space});
  if (!plan) return;
  explanation.ratios = ReadRatios(*plan, explanation.left_out);
  explanation.planned = !explanation.ratios.empty();
  explanation.history = ReadHistoryView(*plan);
}

void ReadAwaitedJobs(Cluster& cluster, Explanation& explanation) {
  const JobObject& job = explanation.job;
  if (!job.MayWaitForJobs()) return;
  for (const std::string& name : job.after) {
    AwaitedJob& awaited = explanation.awaited.emplace_back(AwaitedJob{name, false, JobObject()});
    const auto& complete = job.seen_complete;
    awaited.was_complete = std::find(complete.begin(), complete.end(), name) != complete.end();
    if (awaited.was_complete) continue;
    awaited.job = CheckJobName(name)
                      .and_then([&] {
                        return cluster.Get({kJobs, name, "--namespace=" + job.name_space});
                      })
                      .transform(ReadJobObject);
  }
}

/// What the operator asks of nodes, and how it sees them.
class NodeChecks {
 public:
  NodeChecks(const json& job, Cluster& cluster)
      : job_(cluster::ReadWeightedJob(job)),
        demands_(cluster::NodeDemandsOf(job_)),
        cluster_(cluster) {
    if (job_.invalid.empty()) return;
    // A later operator may know fields that are unknown here; the selector is there all the same.
    demands_.selector = cluster::Texts(ValueAt(job, "/spec/nodes/selector"), "matchLabels");
  }

  /// What keeps a worker off this node, apart from other pods; a reason each, in words that follow
  /// "NODE: ".
  [[nodiscard]] std::vector<std::string> Obstacles(const json& node) const {
    return Words(node, cluster::FindObstacles(cluster::ReadNode(node), std::nullopt, demands_));
  }

  /// Whether other pods leave too little room there; nothing if this user may not list them.
  [[nodiscard]] std::optional<bool> LacksRoom(const json& node) {
    if (!pods_are_read_) ReadPods();
    if (!reserved_) return std::nullopt;
    const auto there = reserved_->find(TextAt(node, "/metadata/name"));
    const auto used = there == reserved_->end() ? cluster::Resources{} : there->second;
    return !cluster::FindObstacles(cluster::ReadNode(node), used, demands_).empty();
  }

 private:
  static std::vector<std::string> Words(const json& node,
                                        const std::vector<cluster::NodeObstacle>& obstacles) {
    std::vector<std::string> reasons;
    for (const cluster::NodeObstacle& one : obstacles) {
      std::string text = "is " + Printable(one.why, 300);
      if (one.obstacle == cluster::Obstacle::kCordoned) {
        text += " (kubectl uncordon lets it in again)";
      } else if (one.obstacle == cluster::Obstacle::kNotReady) {
        text += WhyNotReady(node);
      }
      reasons.push_back(std::move(text));
    }
    return reasons;
  }

  static std::string WhyNotReady(const json& node) {
    for (const json& condition : ListAt(node, "/status/conditions")) {
      if (TextAt(condition, "/type") != "Ready") continue;
      const std::string message = Printable(TextAt(condition, "/message"), 200);
      return message.empty() ? std::string() : ": " + message;
    }
    return ": it has not reported yet";
  }

  void ReadPods() {
    pods_are_read_ = true;
    const auto pods = cluster_.Get({"pods", "--all-namespaces", "--field-selector",
                                    "status.phase!=Succeeded,status.phase!=Failed"});
    if (!pods) return;
    reserved_.emplace();
    for (const json& object : ListAt(*pods, "/items")) {
      const cluster::PodView pod = cluster::ReadPod(object);
      const bool is_own_worker =
          pod.owner == job_.meta.uid && pod.role == cluster::PodRole::kWorker;
      if (pod.node.empty() || is_own_worker) continue;
      cluster::Resources& sum = (*reserved_)[pod.node];
      sum = sum + pod.requests;
    }
  }

  cluster::WeightedJob job_;
  cluster::NodeDemands demands_;
  Cluster& cluster_;
  bool pods_are_read_ = false;
  std::optional<std::map<std::string, cluster::Resources>> reserved_;  ///< by node
};

std::vector<std::string> WhyUnused(const json& node, const Explanation& explanation,
                                   std::size_t used, NodeChecks& checks) {
  std::vector<std::string> reasons = checks.Obstacles(node);
  if (!reasons.empty()) return reasons;
  if (explanation.left_out.contains(NameOf(node))) {
    return {
        "objective Energy leaves it out: the others need fewer joules for the same work, and keep "
        "within the job's timeFactor"};
  }
  if (static_cast<std::int64_t>(used) >= explanation.job.max_workers) {
    return {"spec.nodes.maxWorkers is " + std::to_string(explanation.job.max_workers) +
            ", others were taken"};
  }
  const std::optional<bool> lacks_room = checks.LacksRoom(node);
  if (!lacks_room) {
    return {
        "nothing on the node speaks against it; what the worker requests may not fit beside its "
        "other pods, which you may not list"};
  }
  if (*lacks_room) return {"is without room for what the worker requests"};
  return {"nothing speaks against it: it came later, or its pod is about to be created"};
}

/// Sorts the nodes into those whose weights are explained and those that are not used.
void SortNodes(const json& list, NodeChecks& checks, Explanation& explanation) {
  std::set<std::string> used;
  for (const JobWorker& worker : explanation.job.workers) used.insert(worker.node);
  for (const auto& [name, ratio] : explanation.ratios) used.insert(name);

  json explained = json::array();
  std::vector<const json*> others;
  for (const json& node : list) {
    const bool weighed =
        explanation.planned ? used.contains(NameOf(node)) : checks.Obstacles(node).empty();
    if (weighed) {
      explained.push_back(Trimmed(node));
    } else {
      others.push_back(&node);
    }
  }
  for (const json* node : others) {
    explanation.unused.push_back(
        {NameOf(*node), WhyUnused(*node, explanation, used.size(), checks)});
  }
  if (explained.empty()) return;
  explanation.nodes = model::ParseNodes(NodeList(std::move(explained)).dump(), "nodes");
}

}  // namespace

Result<Explanation> GatherExplanation(const std::string& job, Cluster& cluster) {
  if (const auto named = CheckJobName(job); !named) return tl::unexpected(named.error());
  const auto object = cluster.Get({kJobs, job});
  if (!object) return tl::unexpected(object.error());

  Explanation explanation;
  explanation.job = ReadJobObject(*object);
  explanation.tasks = DescribeTasksOf(*object);
  explanation.policy = ReadPolicy(explanation.job.policy, cluster);
  ReadPlan(cluster, explanation);
  ReadAwaitedJobs(cluster, explanation);

  const auto nodes = cluster.Get({"nodes"});
  if (!nodes) {
    explanation.nodes = tl::unexpected(nodes.error());
  } else if (nodes->contains("items") && (*nodes)["items"].is_array()) {
    NodeChecks checks(*object, cluster);
    SortNodes((*nodes)["items"], checks, explanation);
  }
  const auto events =
      cluster.Get({"events", "--namespace=" + explanation.job.name_space, "--field-selector",
                   "involvedObject.kind=WeightedJob,involvedObject.name=" + job});
  if (events) {
    explanation.events = ReadEvents(*events, kEvents);
  } else {
    explanation.events = tl::unexpected(events.error());
  }
  return explanation;
}

}  // namespace evenkeel::cli
