#include "operator/plan/launch.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/base/digest.h"
#include "operator/plan/pod_diagnosis.h"
#include "operator/plan/weighting.h"

namespace evenkeel::plan {
namespace {

const std::string kMeasured = "Measured";
/// The number of rows in the status; the plan must fit into a ConfigMap.
constexpr std::size_t kMaxJoined = cluster::kMaxWorkerRows;

std::vector<cluster::PlannedNode> Planned(const cluster::JobPlan& content) {
  std::vector<cluster::PlannedNode> planned = content.nodes;
  planned.insert(planned.end(), content.joined.begin(), content.joined.end());
  return planned;
}

bool HasSamples(const Snapshot& snapshot) {
  return snapshot.history && snapshot.history->kind == HistoryAnswer::Kind::kSamples;
}

/// False with objective Energy, which chooses by the weights at the start of the job.
bool MayWeighAnew(const PlanBuilder& builder, const CoordinatorAssessment& assessment) {
  const bool energy = builder.Job().spec.balancing.objective == model::Objective::kEnergy;
  return WantsCoordinator(assessment) && GoesByHistory(builder.snapshot()) && !energy;
}

/// Workers that go on, while their coordinator begins anew.
std::vector<WorkerToWeigh> WorkersToWeighAgain(const PlanBuilder& builder,
                                               const CoordinatorAssessment& assessment,
                                               const WorkerInventory& inventory) {
  std::vector<WorkerToWeigh> workers;
  if (!MayWeighAnew(builder, assessment)) return workers;
  for (const cluster::PodView* pod : inventory.live) {
    const cluster::NodeView* node = builder.Node(pod->target_node);
    if (node == nullptr) continue;
    workers.push_back({node, std::max(cluster::ThreadsOf(builder.Job(), *node), 1)});
  }
  return workers;
}

/// How asking went, where no weight came of it.
cluster::HistoryOutcome Disappointment(const Snapshot& snapshot) {
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

cluster::HistoryOutcome Outcome(const Snapshot& snapshot,
                                const std::vector<cluster::PlannedNode>& rows) {
  const auto measured =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.Measured(); });
  cluster::HistoryOutcome outcome = Disappointment(snapshot);
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

RunWeights MakeRunWeights(PlanBuilder& builder, const CoordinatorAssessment& assessment,
                          const WorkerInventory& inventory, const cluster::JobPlan& content,
                          const PolicyChoice& policy) {
  RunWeights weights;
  const Snapshot& seen = builder.snapshot();
  const std::vector<WorkerToWeigh> again = WorkersToWeighAgain(builder, assessment, inventory);
  const bool joins = !inventory.free.empty();
  if (policy.Bad() || (!joins && again.empty())) return weights;
  if (GoesByHistory(seen) && seen.history_there && !seen.history) {
    builder.Result().wants_history = true;
    return weights;
  }
  std::vector<WorkerToWeigh> workers;
  for (const Place& place : inventory.free) workers.push_back({place.node, place.size.threads});
  // Without a history there is nothing new to be known of nodes that were weighed before.
  const bool anew = MayWeighAnew(builder, assessment) && HasSamples(seen);
  if (!anew) {
    weights.free = WeighNodes(seen, workers, Planned(content), policy.policy);
    return weights;
  }
  workers.insert(workers.end(), again.begin(), again.end());
  weights.live = WeighNodes(seen, workers, {}, policy.policy);
  const auto end_of_free =
      weights.live.begin() + static_cast<std::ptrdiff_t>(inventory.free.size());
  weights.free.assign(weights.live.begin(), end_of_free);
  weights.live.erase(weights.live.begin(), end_of_free);
  return weights;
}

std::map<std::string, cluster::PlannedNode> RowsByNode(const cluster::JobPlan& content,
                                                       const RunWeights& weights) {
  std::map<std::string, cluster::PlannedNode> rows;
  for (const cluster::PlannedNode& row : Planned(content)) rows[row.name] = row;
  for (const auto* made : {&weights.live, &weights.free}) {
    for (const cluster::PlannedNode& row : *made) rows[row.name] = row;
  }
  return rows;
}

void RecordHistoryOutcome(const PlanBuilder& builder,
                          const std::vector<cluster::PlannedNode>& nodes,
                          const WorkerChanges& changes, bool starts, cluster::JobPlan& content) {
  const Snapshot& seen = builder.snapshot();
  const bool asked = !seen.history_there || seen.history;
  if (!GoesByHistory(seen) || !asked || nodes.empty()) return;
  if (!starts && changes.create.empty()) return;
  content.history = Outcome(seen, nodes);
  if (starts) {
    content.joined.clear();
    return;
  }
  for (const cluster::WorkerPod& pod : changes.create) {
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

void SetWeightsMeasuredCondition(PlanBuilder& builder, const cluster::JobPlan& content) {
  const cluster::HistoryOutcome& history = content.history;
  if (history.reason.empty()) return;
  builder.SetCondition(cluster::condition_type::kWeightsMeasured, history.reason == kMeasured,
                       history.reason, history.message);
}

namespace {

constexpr std::size_t kMaxAvoided = 16;

/// The row that is known of a node, which may be later than what its pod was made with.
cluster::PlannedNode RowOf(const std::map<std::string, cluster::PlannedNode>& rows,
                           const cluster::PlannedNode& of_pod) {
  const auto known = rows.find(of_pod.name);
  cluster::PlannedNode row = known != rows.end() ? known->second : of_pod;
  row.left_out = false;  // it has a worker now, whatever was thought of it before
  return row;
}

std::vector<cluster::PlannedNode> NodesOf(const PlanBuilder& builder,
                                          const WorkerInventory& inventory,
                                          const WorkerChanges& changes, const RunWeights& weights,
                                          const cluster::JobPlan& content) {
  const auto rows = RowsByNode(content, weights);
  std::vector<cluster::PlannedNode> nodes;
  for (const cluster::PodView* pod : inventory.live) {
    const bool stays =
        std::find(changes.remove.begin(), changes.remove.end(), pod) == changes.remove.end();
    if (stays) nodes.push_back(RowOf(rows, {pod->target_node, pod->ratio, pod->weight}));
  }
  for (const cluster::WorkerPod& pod : changes.create) {
    nodes.push_back(RowOf(rows, {pod.node, pod.ratio, pod.weight}));
  }
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) {
    return a.ratio != b.ratio ? a.ratio > b.ratio : a.name < b.name;
  });
  for (cluster::PlannedNode& planned : nodes) {
    const cluster::NodeView* node = builder.Node(planned.name);
    if (node != nullptr) planned.power = WorkerPower(*node, ThreadsOf(builder.Job(), *node));
  }
  return nodes;
}

/// A coordinator that takes the job up knows of them, and people may ask.
void LeaveOut(PlanBuilder& builder, const std::vector<cluster::PlannedNode>& nodes,
              cluster::JobPlan& content) {
  constexpr std::size_t kNamed = 5;
  if (nodes.empty() || content.nodes.empty()) return;
  content.nodes.insert(content.nodes.end(), nodes.begin(), nodes.end());
  std::string names;
  for (std::size_t i = 0; i < std::min(nodes.size(), kNamed); ++i) {
    names += (i > 0 ? ", " : "") + nodes[i].name;
  }
  if (nodes.size() > kNamed) names += " and " + std::to_string(nodes.size() - kNamed) + " more";
  builder.AddEvent(
      {false, "NodesLeftOut",
       "objective Energy: the job needs fewer joules, and keeps within its timeFactor, "
       "without " +
           names});
}

/// The nodes with the least ratio, if there are better ones.
std::vector<std::string> Slowest(std::vector<cluster::PlannedNode> nodes) {
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

/// Nodes whose worker has a pod or is to get one, sorted.
std::vector<std::string> WorkerNodes(const PlanBuilder& builder, const WorkerChanges& changes) {
  std::set<std::string> nodes;
  for (const cluster::PodView* pod : builder.Workers()) {
    if (!pod->target_node.empty()) nodes.insert(pod->target_node);
  }
  for (const cluster::WorkerPod& pod : changes.create) nodes.insert(pod.node);
  return {nodes.begin(), nodes.end()};
}

void DescribeAppendedTasks(PlanBuilder& builder, const cluster::JobPlan& content) {
  const auto& plan = builder.snapshot().plan;
  if (!plan || content.workload == plan->workload) return;
  builder.AddEvent(
      {false, "TasksAppended", "the job has more tasks; they are passed to its coordinator"});
}

/// A Secret holds at most 1 MiB; a certificate and its key take about 1.2 KiB, base64 a third more.
std::int32_t WorkerSecretsFor(const PlanBuilder& builder) {
  constexpr std::int64_t kWorkersPerSecret = 250;
  const auto nodes = static_cast<std::int64_t>(builder.snapshot().nodes->size());
  const std::int64_t workers =
      std::min<std::int64_t>(std::max(1, builder.Job().spec.max_workers), nodes);
  return static_cast<std::int32_t>(
      std::max<std::int64_t>(1, (workers + kWorkersPerSecret - 1) / kWorkersPerSecret));
}

/// Moves the job from the operator's previous key to the present one: first both authorities are
/// trusted, then certificates come from the new one, then the old one is dropped. Between two
/// steps all pods have the time to read their Secrets.
cluster::IdentityKeys NextIdentity(PlanBuilder& builder, const cluster::IdentityKeys& known) {
  const OperatorSettings& settings = builder.snapshot().settings;
  const platform::Timestamp now = platform::WholeSeconds(builder.Now());
  const std::string& key = settings.key_id;
  if (known.issuer.empty()) return {key, {}, {}};
  const bool is_moved = known.issuer == key;
  if (is_moved && known.also_trusted.empty()) return known;
  // The operator no longer has that key.
  if (!is_moved && known.issuer != settings.previous_key_id) return {key, {}, now};
  if (!is_moved && known.also_trusted != key) return {known.issuer, key, now};
  const platform::Timestamp due = known.since.value_or(now) + settings.secret_propagation;
  if (builder.Now() < due) {
    builder.RequeueAt(due);
    return known;
  }
  if (is_moved) return {key, {}, now};
  return {key, known.issuer, now};
}

bool NobodyThere(const PlanBuilder& builder, const cluster::PodView& pod) {
  return (pod.Ended() && !pod.lingers) || (!pod.node.empty() && builder.Node(pod.node) == nullptr);
}

void AddCoordinatorLostEvent(PlanBuilder& builder, const CoordinatorAssessment& assessment) {
  const std::string pod =
      assessment.pod != nullptr ? "pod " + assessment.pod->name : "the coordinator's pod";
  const std::string next = builder.HasClaim() ? "goes on from the claim" : "starts again";
  builder.AddEvent({true, "CoordinatorLost",
                    pod + " " + assessment.why + "; attempt " +
                        std::to_string(assessment.next_attempt) + " " + next});
}

void CreateCoordinatorPod(PlanBuilder& builder, const CoordinatorAssessment& assessment,
                          const cluster::JobPlan& content) {
  if (assessment.kind == CoordinatorHealth::kLost) AddCoordinatorLostEvent(builder, assessment);
  cluster::CoordinatorPod pod;
  pod.attempt = assessment.next_attempt;
  pod.image = content.image;
  pod.with_snapshot = !builder.HasClaim() && builder.snapshot().kept.has_value();
  pod.avoided_nodes = Slowest(content.nodes);
  pod.architectures = builder.snapshot().settings.architectures;
  builder.AddAction(CreateCoordinator{std::move(pod)});
}

}  // namespace

cluster::JobPlan NextJobPlan(const PlanBuilder& builder, bool replaced) {
  const Snapshot& seen = builder.snapshot();
  cluster::JobPlan content;
  content.manifest = builder.Job().manifest;
  content.workload = builder.Job().workload;
  content.image = builder.Image();
  content.worker_secrets = WorkerSecretsFor(builder);
  if (seen.plan) {
    content = *seen.plan;
    // All that may have changed in it are tasks at the end.
    if (builder.Job().too_large.empty()) content.workload = builder.Job().workload;
  }

  const cluster::PodView* pod = builder.Coordinator();
  if (pod != nullptr) content.attempt_seen = std::max(content.attempt_seen, pod->attempt);
  const bool resumed =
      cluster::IsTrue(seen.job.status.conditions, cluster::condition_type::kSuspended);
  if (resumed && pod != nullptr && !pod->deleted) {
    content.first_attempt = pod->attempt;
  } else if (resumed || replaced) {
    content.first_attempt = content.attempt_seen + 1;
  }
  return content;
}

bool TakesNewImage(const PlanBuilder& builder, const cluster::JobPlan& content) {
  const cluster::PodView* pod = builder.Coordinator();
  if (content.image == builder.Image() || pod == nullptr) return false;
  if (pod->deleted || !LacksImage(*pod) || builder.snapshot().kept || builder.Status().tasks)
    return false;
  const auto& pods = builder.snapshot().pods;
  return std::none_of(pods.begin(), pods.end(), [](const auto& one) { return one.has_run; });
}

bool WantsCoordinator(const CoordinatorAssessment& assessment) {
  return assessment.kind == CoordinatorHealth::kNone ||
         (assessment.kind == CoordinatorHealth::kLost && !assessment.requeue_after);
}

void Launch(PlanBuilder& builder, const CoordinatorAssessment& assessment,
            const WorkerInventory& inventory, const WorkerChanges& changes,
            const RunWeights& weights, cluster::JobPlan content) {
  const std::vector<cluster::PlannedNode> nodes =
      NodesOf(builder, inventory, changes, weights, content);
  const bool makes_coordinator = WantsCoordinator(assessment) && !nodes.empty();
  const bool starts =
      makes_coordinator || !changes.create.empty() || builder.Coordinator() != nullptr;
  const bool writes_nodes = makes_coordinator || !builder.snapshot().plan;
  RecordHistoryOutcome(builder, nodes, changes, writes_nodes, content);
  if (writes_nodes) {
    content.nodes = nodes;
    LeaveOut(builder, changes.left_out, content);
    content.manifest = builder.Job().manifest;
  }
  if (starts || builder.snapshot().plan) {
    const bool stays = !makes_coordinator && builder.Coordinator() != nullptr;
    const std::int64_t attempt = stays ? builder.Coordinator()->attempt : assessment.next_attempt;
    content.identity = NextIdentity(builder, content.identity);
    DescribeAppendedTasks(builder, content);
    builder.SetObjects({content, attempt, WorkerNodes(builder, changes)});
  }

  for (const cluster::PodView* pod : changes.remove)
    builder.Delete(*pod, NobodyThere(builder, *pod));
  for (const cluster::PodView* pod : builder.OlderCoordinators()) {
    builder.Delete(*pod, NobodyThere(builder, *pod));
  }
  if (makes_coordinator) {
    if (assessment.pod != nullptr)
      builder.Delete(*assessment.pod, NobodyThere(builder, *assessment.pod));
    CreateCoordinatorPod(builder, assessment, content);
  }
  for (cluster::WorkerPod pod : changes.create) {
    pod.secrets = content.worker_secrets;
    builder.AddAction(CreateWorker{pod});
  }
  SetWeightsMeasuredCondition(builder, content);
}

namespace {

/// The pod is annotated again after this time, because the kubelet may have synced the pod before
/// it saw the new plan.
constexpr Duration kBetweenRefreshes = std::chrono::seconds(10);

const std::string kNotRun =
    "; tasks that were appended later are not run: a job that is over does not start again, make a "
    "new one for them";

/// The coordinator has said what it works by, and it is not what the job has now.
bool WorksByAnother(const PlanBuilder& builder) {
  const cluster::Progress* report = builder.Report();
  return report != nullptr && !report->workload_digest.empty() &&
         report->workload_digest != DigestOf(builder.Job().spec.workload_parameters);
}

bool PlanIsOlder(const PlanBuilder& builder) {
  const auto& plan = builder.snapshot().plan;
  return plan && plan->workload != builder.Job().workload;
}

}  // namespace

void HandOverTasks(PlanBuilder& builder) {
  if (!WorksByAnother(builder) || PlanIsOlder(builder)) return;
  const auto state = builder.Report()->state;
  if (state != cluster::CoordinatorState::kRunning && state != cluster::CoordinatorState::kBlocked)
    return;
  const auto period = std::chrono::duration_cast<std::chrono::seconds>(kBetweenRefreshes);
  const auto since_epoch = builder.Now().time_since_epoch();
  const cluster::PodView& pod = *builder.Coordinator();
  builder.AddAction(RefreshCoordinator{pod.name, pod.uid, since_epoch / period});
  builder.RequeueAfter(kBetweenRefreshes);
}

void ReportTasksNotRun(PlanBuilder& builder) {
  if (!builder.Job().invalid.empty() || (!WorksByAnother(builder) && !PlanIsOlder(builder))) return;
  for (const auto& type : {cluster::condition_type::kComplete, cluster::condition_type::kFailed}) {
    const cluster::Condition* found = cluster::Find(builder.Status().conditions, type);
    if (found == nullptr || found->status != cluster::Condition::Status::kTrue) continue;
    if (found->message.ends_with(kNotRun)) return;
    const cluster::Condition said = *found;
    builder.SetCondition(type, true, said.reason, OneLine(said.message, 600) + kNotRun);
    builder.AddEvent({true, "TasksNotRun", kNotRun.substr(2)});
  }
}

}  // namespace evenkeel::plan
