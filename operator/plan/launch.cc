#include "operator/plan/launch.h"

#include <algorithm>
#include <map>
#include <utility>

#include "operator/plan/node_power.h"
#include "operator/plan/pod_trouble.h"

namespace evenkeel::plan {
namespace {

constexpr std::size_t kMaxAvoided = 16;

/// The row that is known of a node, which may be later than what its pod was made with.
api::PlannedNode RowOf(const std::map<std::string, api::PlannedNode>& rows,
                       const api::PlannedNode& of_pod) {
  const auto known = rows.find(of_pod.name);
  api::PlannedNode row = known != rows.end() ? known->second : of_pod;
  row.left_out = false;  // it has a worker now, whatever was thought of it before
  return row;
}

std::vector<api::PlannedNode> NodesOf(const Draft& draft, const WorkerCensus& census,
                                      const WorkerChanges& changes, const RunWeights& weights,
                                      const api::JobPlan& content) {
  const auto rows = RowsByNode(content, weights);
  std::vector<api::PlannedNode> nodes;
  for (const api::PodView* pod : census.live) {
    const bool stays =
        std::find(changes.remove.begin(), changes.remove.end(), pod) == changes.remove.end();
    if (stays) nodes.push_back(RowOf(rows, {pod->target_node, pod->ratio, pod->weight}));
  }
  for (const api::WorkerPod& pod : changes.create) {
    nodes.push_back(RowOf(rows, {pod.node, pod.ratio, pod.weight}));
  }
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) {
    return a.ratio != b.ratio ? a.ratio > b.ratio : a.name < b.name;
  });
  for (api::PlannedNode& planned : nodes) {
    const api::NodeView* node = draft.Node(planned.name);
    if (node != nullptr) planned.power = WorkerPower(*node, ThreadsOf(draft.Job(), *node));
  }
  return nodes;
}

/// A coordinator that takes the job up knows of them, and people may ask.
void LeaveOut(Draft& draft, const std::vector<api::PlannedNode>& nodes, api::JobPlan& content) {
  constexpr std::size_t kNamed = 5;
  if (nodes.empty() || content.nodes.empty()) return;
  content.nodes.insert(content.nodes.end(), nodes.begin(), nodes.end());
  std::string names;
  for (std::size_t i = 0; i < std::min(nodes.size(), kNamed); ++i) {
    names += (i > 0 ? ", " : "") + nodes[i].name;
  }
  if (nodes.size() > kNamed) names += " and " + std::to_string(nodes.size() - kNamed) + " more";
  draft.Tell({false, "NodesLeftOut",
              "objective Energy: the job needs fewer joules, and keeps within its timeFactor, "
              "without " +
                  names});
}

/// The nodes with the least ratio, if there are better ones.
std::vector<std::string> Slowest(std::vector<api::PlannedNode> nodes) {
  std::vector<std::string> slowest;
  nodes.erase(
      std::remove_if(nodes.begin(), nodes.end(), [](const auto& node) { return node.left_out; }),
      nodes.end());
  if (nodes.empty() || nodes.front().ratio <= nodes.back().ratio) return slowest;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (node->ratio > nodes.back().ratio || slowest.size() == kMaxAvoided) break;
    slowest.push_back(node->name);
  }
  return slowest;
}

void ApplyObjects(Draft& draft, const api::JobPlan& content, std::int64_t attempt,
                  bool makes_coordinator) {
  const auto& plan = draft.Seen().plan;
  if (!plan) draft.Act(EnsureIdentity{});
  if (!plan || content != *plan) draft.Act(ApplyPlan{content});
  if (plan && content.workload != plan->workload) {
    draft.Tell({false, "TasksAppended", "the job has more tasks; its coordinator is told of them"});
  }
  if (plan && !makes_coordinator) return;
  draft.Act(ApplyService{attempt});
  draft.Act(ApplyNetworkPolicies{});
}

bool NobodyThere(const Draft& draft, const api::PodView& pod) {
  return (pod.Ended() && !pod.lingers) || (!pod.node.empty() && draft.Node(pod.node) == nullptr);
}

void TellOfLoss(Draft& draft, const CoordinatorFate& fate) {
  const std::string pod = fate.pod != nullptr ? "pod " + fate.pod->name : "the coordinator's pod";
  const std::string next = draft.HasClaim() ? "goes on from the claim" : "starts again";
  draft.Tell(
      {true, "CoordinatorLost",
       pod + " " + fate.why + "; attempt " + std::to_string(fate.next_attempt) + " " + next});
}

void CreateCoordinatorPod(Draft& draft, const CoordinatorFate& fate, const api::JobPlan& content) {
  if (fate.kind == FateKind::kLost) TellOfLoss(draft, fate);
  api::CoordinatorPod pod;
  pod.attempt = fate.next_attempt;
  pod.image = content.image;
  pod.with_snapshot = !draft.HasClaim() && draft.Seen().kept.has_value();
  pod.avoided_nodes = Slowest(content.nodes);
  pod.architectures = draft.Seen().settings.architectures;
  draft.Act(CreateCoordinator{std::move(pod)});
}

}  // namespace

api::JobPlan PlanToKeep(const Draft& draft, bool replaced) {
  const Snapshot& seen = draft.Seen();
  api::JobPlan content;
  content.manifest = draft.Job().manifest;
  content.workload = draft.Job().workload;
  content.image = draft.Image();
  if (seen.plan) {
    content = *seen.plan;
    // All that may have changed in it are tasks at the end.
    if (draft.Job().too_large.empty()) content.workload = draft.Job().workload;
  }

  const api::PodView* pod = draft.Coordinator();
  if (pod != nullptr) content.attempt_seen = std::max(content.attempt_seen, pod->attempt);
  const bool resumed = api::IsTrue(seen.job.status.conditions, api::condition_type::kSuspended);
  if (resumed && pod != nullptr && !pod->deleted) {
    content.first_attempt = pod->attempt;
  } else if (resumed || replaced) {
    content.first_attempt = content.attempt_seen + 1;
  }
  return content;
}

bool TakesNewImage(const Draft& draft, const api::JobPlan& content) {
  const api::PodView* pod = draft.Coordinator();
  if (content.image == draft.Image() || pod == nullptr) return false;
  if (pod->deleted || !LacksImage(*pod) || draft.Seen().kept || draft.Status().tasks) return false;
  const auto& pods = draft.Seen().pods;
  return std::none_of(pods.begin(), pods.end(), [](const auto& one) { return one.has_run; });
}

bool WantsCoordinator(const CoordinatorFate& fate) {
  return fate.kind == FateKind::kNone || (fate.kind == FateKind::kLost && !fate.look_again);
}

void Launch(Draft& draft, const CoordinatorFate& fate, const WorkerCensus& census,
            const WorkerChanges& changes, const RunWeights& weights, api::JobPlan content) {
  const std::vector<api::PlannedNode> nodes = NodesOf(draft, census, changes, weights, content);
  const bool makes_coordinator = WantsCoordinator(fate) && !nodes.empty();
  const bool starts =
      makes_coordinator || !changes.create.empty() || draft.Coordinator() != nullptr;
  const bool writes_nodes = makes_coordinator || !draft.Seen().plan;
  KeepOutcome(draft, nodes, changes, writes_nodes, content);
  if (writes_nodes) {
    content.nodes = nodes;
    LeaveOut(draft, changes.left_out, content);
    content.manifest = draft.Job().manifest;
  }
  if (starts || draft.Seen().plan) {
    const bool stays = !makes_coordinator && draft.Coordinator() != nullptr;
    const std::int64_t attempt = stays ? draft.Coordinator()->attempt : fate.next_attempt;
    ApplyObjects(draft, content, attempt, makes_coordinator);
  }

  for (const api::PodView* pod : changes.remove) draft.Delete(*pod, NobodyThere(draft, *pod));
  for (const api::PodView* pod : draft.OlderCoordinators()) {
    draft.Delete(*pod, NobodyThere(draft, *pod));
  }
  if (makes_coordinator) {
    if (fate.pod != nullptr) draft.Delete(*fate.pod, NobodyThere(draft, *fate.pod));
    CreateCoordinatorPod(draft, fate, content);
  }
  for (const api::WorkerPod& pod : changes.create) draft.Act(CreateWorker{pod});
  SayWhereWeightsComeFrom(draft, content);
}

}  // namespace evenkeel::plan
