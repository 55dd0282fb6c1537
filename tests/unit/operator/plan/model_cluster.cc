#include "tests/unit/operator/plan/model_cluster.h"

#include <algorithm>
#include <utility>

#include "cluster/names.h"
#include "core/model/names.h"

namespace evenkeel::plan {
namespace {

constexpr std::int64_t kGib = 1LL << 30U;

cluster::NodeView Board(const std::string& name, std::map<std::string, std::string> hardware) {
  cluster::NodeView node;
  node.profile.name = name;
  for (auto& [key, value] : hardware) node.profile.labels["hardware.evenkeel.dev/" + key] = value;
  node.profile.architecture = "arm64";
  node.profile.cpu_millicores = 4000;
  node.operating_system = "linux";
  node.ready = true;
  node.allocatable = {4000, 4 * kGib, 110};
  return node;
}

}  // namespace

cluster::NodeView Pi4(const std::string& name) {
  return Board(name, {{"cpu", "Cortex-A72"}, {"cpu-mhz", "1500"}, {"ram-mib", "4096"}});
}

cluster::NodeView Pi3(const std::string& name) {
  return Board(name, {{"cpu", "Cortex-A53"}, {"cpu-mhz", "1200"}, {"ram-mib", "1024"}});
}

ModelCluster::ModelCluster() {
  now = platform::Timestamp{std::chrono::seconds(1'800'000'000)};
  job.meta = {"default", "primes", "0123456789ab", "1", 1, now, std::nullopt, {}};
  job.spec.name = "primes";
  job.spec.workload = "primes";
  job.manifest = "{}";
  job.resources = cluster::WithWorkerDefaults({});
  settings.image = "evenkeel/worker:1";
  settings.key_id = "key-1";
  progress.tasks = {100, 0, 0};
}

void ModelCluster::AddNode(cluster::NodeView node) {
  const std::string name = node.Name();
  nodes[name] = std::move(node);
}

void ModelCluster::RemoveNode(const std::string& name) { nodes.erase(name); }

void ModelCluster::SetReady(const std::string& node, bool ready) {
  Node(node).ready = ready;
  Node(node).ready_changed = now;
}

Requests ModelCluster::AllRequests() const {
  Requests all = others;
  for (const cluster::PodView& pod : pods) {
    if (pod.Ended() || pod.node.empty()) continue;
    all[pod.node] = all[pod.node] + pod.requests;
  }
  return all;
}

Snapshot ModelCluster::Take() const {
  Snapshot snapshot;
  snapshot.now = now;
  snapshot.job = job;
  snapshot.policy = policy;
  snapshot.dependencies = dependencies;
  snapshot.has_waiting_dependents = has_waiting_dependents;
  auto shared = std::make_shared<Nodes>();
  for (const auto& [name, node] : nodes) {
    shared->emplace(name, std::make_shared<const cluster::NodeView>(node));
  }
  snapshot.nodes = std::move(shared);
  snapshot.requests = std::make_shared<const Requests>(AllRequests());
  snapshot.pods = pods;
  snapshot.plan = plan;
  snapshot.kept = kept;
  snapshot.snapshot_refusal = refusal;
  snapshot.last_status_write = last_status_write;
  snapshot.settings = settings;
  snapshot.history_there = prometheus.has_value();
  for (const cluster::PodView& pod : pods) {
    const auto node = nodes.find(pod.node);
    const bool answers = pod.role == cluster::PodRole::kCoordinator && pod.ready && !pod.deleted &&
                         node != nodes.end() && node->second.ready;
    if (!answers) continue;
    snapshot.report = CoordinatorReport{pod.uid, progress, {}, delivered_};
    if (drained_.contains(pod.uid)) {
      snapshot.report->progress.state = cluster::CoordinatorState::kInterrupted;
    }
  }
  return snapshot;
}

bool ModelCluster::Fits(const cluster::NodeView& node, const cluster::PodView& pod) const {
  const Requests all = AllRequests();
  const auto at = [&node](const Requests& requests) {
    const auto found = requests.find(node.Name());
    return found == requests.end() ? cluster::Resources{} : found->second;
  };
  // Its own request is counted there already if it is bound to the node.
  const cluster::Resources own = pod.node == node.Name() ? pod.requests : cluster::Resources{};
  const bool room = cluster::Fits(pod.requests, node.allocatable - (at(all) - own) - at(unknown));
  return room && node.ready && !node.unschedulable &&
         !cluster::FirstUntolerated(node.taints, job.tolerations);
}

void ModelCluster::Schedule(cluster::PodView& pod) {
  std::string words = "0/" + std::to_string(nodes.size()) + " nodes are available";
  const bool coordinator = pod.role == cluster::PodRole::kCoordinator;
  const bool claims = coordinator && !job.result_claim.empty();
  if (claims && !claim_exists) {
    words += ": persistentvolumeclaim \"" + job.result_claim + "\" not found.";
  }
  const std::string cache = coordinator || !job.has_files
                                ? std::string()
                                : model::NameForNode(job.spec.file_cache_claim, pod.target_node);
  const bool lacks_cache = missing_claims.contains(cache);
  if (lacks_cache) words += ": persistentvolumeclaim \"" + cache + "\" not found.";
  for (const auto& [name, node] : nodes) {
    const bool local = claims && claim_node && *claim_node != name;
    const bool other = !coordinator && pod.target_node != name;
    if (local) words += ": 1 node(s) didn't match PersistentVolume's node affinity";
    const bool lacks_claim = lacks_cache || (claims && !claim_exists);
    if (local || other || lacks_claim || !Fits(node, pod)) continue;
    pod.node = name;
    pod.unscheduled.reset();
    return;
  }
  if (!pod.unscheduled) pod.unscheduled = cluster::SchedulingTrouble{"Unschedulable", "", now};
  pod.unscheduled->message = words;
}

void ModelCluster::Settle() {
  std::erase_if(pods, [this](const cluster::PodView& pod) {
    const auto node = nodes.find(pod.node);
    const bool node_is_gone = !pod.node.empty() && node == nodes.end();
    return node_is_gone || (pod.deleted && (node == nodes.end() || node->second.ready));
  });
  for (cluster::PodView& pod : pods) {
    if (pod.Ended() || pod.deleted) continue;
    if (pod.node.empty()) Schedule(pod);
    if (pod.node.empty()) continue;
    if (broken_images.contains(pod.image)) {
      pod.waiting_reason = "ImagePullBackOff";
      continue;
    }
    pod.waiting_reason.clear();
    pod.phase = cluster::PodPhase::kRunning;
    pod.has_run = true;
    pod.ready = nodes.at(pod.node).ready;
    // Eviction of pods from nodes that are lost.
    const cluster::NodeView& node = nodes.at(pod.node);
    const auto grace = std::chrono::seconds(pod.role == cluster::PodRole::kWorker ? 30 : 120);
    if (!node.ready && now >= node.ready_changed.value_or(now) + grace) pod.deleted = now;
  }
}

Plan ModelCluster::Step() {
  Snapshot snapshot = Take();
  Plan made = MakePlan(snapshot);
  if (made.wants_history) {
    snapshot.history = prometheus;
    ++asked;
    made = MakePlan(snapshot);
    if (made.wants_history) violations.emplace_back("asks for a history that is there");
  }
  if (!made.crowded_nodes.empty()) {
    snapshot.room_holders = holders;
    made = MakePlan(snapshot);
  }
  Apply(made);
  Settle();
  return made;
}

bool ModelCluster::Rest(int limit) {
  constexpr int kQuietSteps = 12;
  int quiet = 0;
  for (int i = 0; i < limit; ++i) {
    const Plan made = Step();
    if (job_is_gone) return true;
    const bool idle = made.actions.empty() && !made.status;
    quiet = idle ? quiet + 1 : 0;
    // Settling after the first quiet step may have given the second one something to do.
    if ((quiet >= 2 && !made.requeue_after) || quiet == kQuietSteps) return true;
    Advance(made.requeue_after.value_or(std::chrono::milliseconds(50)));
  }
  return false;
}

cluster::PodView* ModelCluster::Pod(const std::string& name) {
  const auto found =
      std::find_if(pods.begin(), pods.end(), [&name](const auto& pod) { return pod.name == name; });
  return found == pods.end() ? nullptr : &*found;
}

cluster::PodView* ModelCluster::WorkerOn(const std::string& node) {
  return Pod(cluster::WorkerPodName(job.meta.name, node));
}

cluster::PodView* ModelCluster::Coordinator() {
  cluster::PodView* latest = nullptr;
  for (cluster::PodView& pod : pods) {
    const bool later = latest == nullptr || pod.attempt > latest->attempt;
    if (pod.role == cluster::PodRole::kCoordinator && later) latest = &pod;
  }
  return latest;
}

std::vector<std::string> ModelCluster::WorkerNodes() const {
  std::vector<std::string> names;
  for (const cluster::PodView& pod : pods) {
    const bool counts = pod.role == cluster::PodRole::kWorker && !pod.deleted && !pod.Ended();
    if (counts) names.push_back(pod.target_node);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string ModelCluster::Condition(const std::string& type) const {
  const cluster::Condition* found = cluster::Find(job.status.conditions, type);
  return found == nullptr ? "none" : cluster::ToString(found->status) + " " + found->reason;
}

std::string ModelCluster::ConditionMessage(const std::string& type) const {
  const cluster::Condition* found = cluster::Find(job.status.conditions, type);
  return found == nullptr ? std::string() : found->message;
}

void ModelCluster::ChangeSpec(const std::function<void(cluster::WeightedJob&)>& change) {
  change(job);
  ++job.meta.generation;
}

}  // namespace evenkeel::plan
