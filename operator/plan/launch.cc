#include "operator/plan/launch.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/base/digest.h"
#include "operator/plan/pod_diagnosis.h"
#include "operator/plan/weighting.h"

namespace evenkeel::plan {
namespace {

const std::string kMeasured = "Measured";
/// As many as the status has rows; the plan has to fit into a ConfigMap.
constexpr std::size_t kMaxJoined = api::kMaxWorkerRows;

std::vector<api::PlannedNode> Planned(const api::JobPlan& content) {
  std::vector<api::PlannedNode> planned = content.nodes;
  planned.insert(planned.end(), content.joined.begin(), content.joined.end());
  return planned;
}

bool HasSamples(const Snapshot& snapshot) {
  return snapshot.history && snapshot.history->kind == HistoryAnswer::Kind::kSamples;
}

/// What objective Energy chooses by are the weights that nodes had when the job began.
bool MayWeighAnew(const Draft& draft, const CoordinatorFate& fate) {
  const bool energy = draft.Job().spec.balancing.objective == model::Objective::kEnergy;
  return WantsCoordinator(fate) && GoesByHistory(draft.Seen()) && !energy;
}

/// Nodes of workers that go on, while their coordinator begins anew.
std::vector<const api::NodeView*> NodesToWeighAgain(const Draft& draft, const CoordinatorFate& fate,
                                                    const WorkerCensus& census) {
  std::vector<const api::NodeView*> nodes;
  if (!MayWeighAnew(draft, fate)) return nodes;
  for (const api::PodView* pod : census.live) {
    const api::NodeView* node = draft.Node(pod->target_node);
    if (node != nullptr) nodes.push_back(node);
  }
  return nodes;
}

/// How asking went, where no weight came of it.
api::HistoryOutcome Disappointment(const Snapshot& snapshot) {
  if (!snapshot.history) {
    return {"NotConfigured",
            "spec.weighting.mode is Measured, but the operator knows no Prometheus; weights are "
            "fuzzy"};
  }
  switch (snapshot.history->kind) {
    case HistoryAnswer::Kind::kUnreachable:
      return {"PrometheusUnreachable", snapshot.history->trouble + "; weights are fuzzy"};
    case HistoryAnswer::Kind::kInvalid:
      return {"PrometheusAnswerInvalid", snapshot.history->trouble + "; weights are fuzzy"};
    case HistoryAnswer::Kind::kSamples:
      break;
  }
  return {reason::kNoHistory, "no earlier job of profile " + snapshot.job.spec.profile +
                                  " is known well enough on these nodes; weights are fuzzy"};
}

api::HistoryOutcome Outcome(const Snapshot& snapshot, const std::vector<api::PlannedNode>& rows) {
  const auto measured =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.Measured(); });
  api::HistoryOutcome outcome = Disappointment(snapshot);
  if (measured == 0) return outcome;
  std::string message = std::to_string(measured) + " of " + std::to_string(rows.size()) +
                        " nodes are weighed by the rates of earlier jobs of profile " +
                        snapshot.job.spec.profile;
  if (outcome.reason != reason::kNoHistory) {
    message += "; for the nodes that came last: " + outcome.message;
  }
  return {kMeasured, std::move(message)};
}

}  // namespace

RunWeights MakeRunWeights(Draft& draft, const CoordinatorFate& fate, const WorkerCensus& census,
                          const api::JobPlan& content, const PolicyChoice& policy) {
  RunWeights weights;
  const Snapshot& seen = draft.Seen();
  const std::vector<const api::NodeView*> again = NodesToWeighAgain(draft, fate, census);
  const bool joins = NeedsWeights(draft, census);
  if (policy.Bad() || (!joins && again.empty())) return weights;
  if (GoesByHistory(seen) && seen.history_there && !seen.history) {
    draft.Result().wants_history = true;
    return weights;
  }
  std::vector<const api::NodeView*> nodes;
  for (const Place& place : census.free) nodes.push_back(place.node);
  // Without a history there is nothing new to be known of nodes that were weighed before.
  const bool anew = MayWeighAnew(draft, fate) && HasSamples(seen);
  if (!anew) {
    weights.free = WeighNodes(seen, nodes, Planned(content), policy.policy);
    return weights;
  }
  nodes.insert(nodes.end(), again.begin(), again.end());
  weights.live = WeighNodes(seen, nodes, {}, policy.policy);
  const auto end_of_free = weights.live.begin() + static_cast<std::ptrdiff_t>(census.free.size());
  weights.free.assign(weights.live.begin(), end_of_free);
  weights.live.erase(weights.live.begin(), end_of_free);
  return weights;
}

std::map<std::string, api::PlannedNode> RowsByNode(const api::JobPlan& content,
                                                   const RunWeights& weights) {
  std::map<std::string, api::PlannedNode> rows;
  for (const api::PlannedNode& row : Planned(content)) rows[row.name] = row;
  for (const auto* made : {&weights.live, &weights.free}) {
    for (const api::PlannedNode& row : *made) rows[row.name] = row;
  }
  return rows;
}

void KeepOutcome(const Draft& draft, const std::vector<api::PlannedNode>& nodes,
                 const WorkerChanges& changes, bool starts, api::JobPlan& content) {
  const Snapshot& seen = draft.Seen();
  const bool asked = !seen.history_there || seen.history;
  if (!GoesByHistory(seen) || !asked || nodes.empty()) return;
  if (!starts && changes.create.empty()) return;
  content.history = Outcome(seen, nodes);
  if (starts) {
    content.joined.clear();
    return;
  }
  for (const api::WorkerPod& pod : changes.create) {
    const auto same = [&pod](const auto& row) { return row.name == pod.node; };
    const auto row = std::find_if(nodes.begin(), nodes.end(), same);
    if (row == nodes.end() || std::any_of(content.nodes.begin(), content.nodes.end(), same)) {
      continue;
    }
    std::erase_if(content.joined, same);
    content.joined.push_back(*row);
    if (content.joined.size() > kMaxJoined) content.joined.erase(content.joined.begin());
  }
}

void SayWhereWeightsComeFrom(Draft& draft, const api::JobPlan& content) {
  const api::HistoryOutcome& history = content.history;
  if (history.reason.empty()) return;
  draft.SetCondition(api::condition_type::kWeightsMeasured, history.reason == kMeasured,
                     history.reason, history.message);
}

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

namespace {

/// A kubelet that was told a moment before it knew of the new plan is told once more.
constexpr Duration kBetweenRefreshes = std::chrono::seconds(10);

const std::string kNotRun =
    "; tasks that were appended later are not run: a job that is over does not start again, make a "
    "new one for them";

/// The coordinator has said what it works by, and it is not what the job has now.
bool WorksByAnother(const Draft& draft) {
  const api::Progress* report = draft.Report();
  return report != nullptr && !report->workload_digest.empty() &&
         report->workload_digest != DigestOf(draft.Job().spec.workload_parameters);
}

bool PlanIsOlder(const Draft& draft) {
  const auto& plan = draft.Seen().plan;
  return plan && plan->workload != draft.Job().workload;
}

}  // namespace

void HandOverTasks(Draft& draft) {
  if (!WorksByAnother(draft) || PlanIsOlder(draft)) return;
  const auto state = draft.Report()->state;
  if (state != api::CoordinatorState::kRunning && state != api::CoordinatorState::kBlocked) return;
  const auto period = std::chrono::duration_cast<std::chrono::seconds>(kBetweenRefreshes);
  const auto since_epoch = draft.Now().time_since_epoch();
  const api::PodView& pod = *draft.Coordinator();
  draft.Act(RefreshCoordinator{pod.name, pod.uid, since_epoch / period});
  draft.LookAgainAfter(kBetweenRefreshes);
}

void SayWhatIsNotRun(Draft& draft) {
  if (!draft.Job().invalid.empty() || (!WorksByAnother(draft) && !PlanIsOlder(draft))) return;
  for (const auto& type : {api::condition_type::kComplete, api::condition_type::kFailed}) {
    const api::Condition* found = api::Find(draft.Status().conditions, type);
    if (found == nullptr || found->status != api::Condition::Status::kTrue) continue;
    if (found->message.ends_with(kNotRun)) return;
    const api::Condition said = *found;
    draft.SetCondition(type, true, said.reason, OneLine(said.message, 600) + kNotRun);
    draft.Tell({true, "TasksNotRun", kNotRun.substr(2)});
  }
}

}  // namespace evenkeel::plan
