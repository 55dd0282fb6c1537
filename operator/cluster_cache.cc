#include "operator/cluster_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cluster/job_status.h"
#include "cluster/names.h"
#include "cluster/node_and_pod_json.h"
#include "cluster/weighted_job_json.h"
#include "cluster/worker_size.h"
#include "operator/desired_objects.h"
#include "operator/plan/dependencies.h"
#include "operator/resources.h"

namespace evenkeel::controller {

void NodeRoom::Add(const PodRoom& pod) {
  if (!pod.Counts()) return;
  const std::scoped_lock lock(mutex_);
  cluster::Resources& sum = requested_[pod.node];
  sum = sum + pod.requests;
  shared_.reset();
}

void NodeRoom::Remove(const PodRoom& pod) {
  if (!pod.Counts()) return;
  const std::scoped_lock lock(mutex_);
  const auto found = requested_.find(pod.node);
  if (found == requested_.end()) return;
  found->second = found->second - pod.requests;
  if (found->second == cluster::Resources{}) requested_.erase(found);
  shared_.reset();
}

std::shared_ptr<const plan::Requests> NodeRoom::Requested() const {
  const std::scoped_lock lock(mutex_);
  if (!shared_) shared_ = std::make_shared<const plan::Requests>(requested_);
  return shared_;
}

void RoomWaiters::Add(const kube::ObjectKey& job, const cluster::Resources& requests) {
  const std::scoped_lock lock(mutex_);
  requests_[job] = requests;
}

void RoomWaiters::Remove(const kube::ObjectKey& job) {
  const std::scoped_lock lock(mutex_);
  requests_.erase(job);
}

std::vector<kube::ObjectKey> RoomWaiters::ThatFit(const cluster::Resources& room) const {
  const std::scoped_lock lock(mutex_);
  std::vector<kube::ObjectKey> jobs;
  for (const auto& [job, requests] : requests_) {
    if (cluster::Fits(requests, room)) jobs.push_back(job);
  }
  return jobs;
}

namespace {

const std::string kByJob = "job";
const std::string kByNode = "node";
const std::string kByDependency = "dependency";

kube::ReflectorOptions Following(const kube::Resource& resource,
                                 const std::string& namespace_name = {}) {
  kube::ReflectorOptions options;
  options.resource = resource;
  options.namespace_name = namespace_name;
  return options;
}

template <typename T>
typename kube::StoreFeeder<T>::Projection Reading(T (*read)(const kube::Json&)) {
  return [read](const kube::Json& object) { return Result<T>(read(object)); };
}

PodRoom ReadRoom(const kube::Json& object) {
  const cluster::PodView pod = cluster::ReadPod(object);
  return {pod.node, pod.requests};
}

/// Kubelets report a node's state every few minutes without anything having changed.
bool Matters(const cluster::NodeView& before, const cluster::NodeView& now) {
  const auto& a = before.profile;
  const auto& b = now.profile;
  return before.ready != now.ready || before.unschedulable != now.unschedulable ||
         !(before.taints == now.taints) || !(before.allocatable == now.allocatable) ||
         a.labels != b.labels || a.annotations != b.annotations ||
         a.architecture != b.architecture || a.os_image != b.os_image ||
         a.cpu_millicores != b.cpu_millicores || a.memory_bytes != b.memory_bytes;
}

std::string JobWord(const kube::ObjectKey& key, const std::string& job) {
  return ToString(kube::ObjectKey{key.namespace_name, job});
}

std::string NodeWord(const std::string& namespace_name, const std::string& node) {
  return ToString(kube::ObjectKey{namespace_name, node});
}

}  // namespace

ClusterCache::ClusterCache(const kube::ServerAccess& access,
                           const std::vector<std::string>& namespaces, CacheListener listener,
                           std::uint64_t seed)
    : listener_(std::move(listener)),
      nodes_(access, Following(resource::kNodes), Reading(cluster::ReadNode), seed),
      policies_(access, Following(resource::kPolicies), Reading(cluster::ReadWeightingPolicy),
                seed + 1) {
  FollowPolicies();
  FollowNodes();
  const std::vector<std::string> everywhere{""};
  for (const auto& namespace_name : namespaces.empty() ? everywhere : namespaces) {
    seed += 8;
    FollowNamespace(access, namespace_name, seed);
    FollowRoom(access, namespace_name, seed + 2);
    FollowOwned(access, namespace_name, seed + 3);
  }
}

ClusterCache::~ClusterCache() { Stop(); }

void ClusterCache::FollowNamespace(const kube::ServerAccess& access,
                                   const std::string& namespace_name, std::uint64_t seed) {
  auto jobs = std::make_unique<JobInformer>(access, Following(resource::kJobs, namespace_name),
                                            Reading(cluster::ReadWeightedJob), seed);
  jobs->AddIndex(kByDependency, [](const kube::ObjectKey& key, const cluster::WeightedJob& job) {
    std::vector<std::string> words;
    for (const std::string& name : plan::AwaitedJobs(job.spec)) words.push_back(JobWord(key, name));
    return words;
  });
  jobs->AddHandler({[this](const kube::ObjectKey& key, const auto&) {
                      listener_.on_job(key);
                      NotifyDependents(key);
                    },
                    [this](const kube::ObjectKey& key, const auto& before, const auto& now) {
                      listener_.on_job(key);
                      if (plan::ReadDependency(before) != plan::ReadDependency(now))
                        NotifyDependents(key);
                      NotifyReleasedDependencies(before, &now);
                    },
                    [this](const kube::ObjectKey& key, const auto& last) {
                      listener_.on_job(key);
                      NotifyDependents(key);
                      NotifyReleasedDependencies(last, nullptr);
                    }});
  jobs_.push_back(std::move(jobs));

  kube::ReflectorOptions own = Following(resource::kPods, namespace_name);
  own.label_selector = cluster::label::kManagedBy + "=" + cluster::kManager;
  auto pods = std::make_unique<PodInformer>(access, own, Reading(cluster::ReadPod), seed + 1);
  pods->AddIndex(kByJob, [](const kube::ObjectKey& key, const cluster::PodView& pod) {
    return std::vector<std::string>{JobWord(key, pod.job)};
  });
  pods->AddIndex(kByNode, [](const kube::ObjectKey& key, const cluster::PodView& pod) {
    std::vector<std::string> words;
    if (!pod.node.empty() && !pod.Ended()) words.push_back(NodeWord(key.namespace_name, pod.node));
    return words;
  });
  const auto pod_changed = [this](const kube::ObjectKey& key, const auto& pod, const auto&...) {
    listener_.on_job_pods({key.namespace_name, pod.job});
  };
  pods->AddHandler({pod_changed, pod_changed, pod_changed});
  pods_.push_back(std::move(pods));
}

void ClusterCache::FollowRoom(const kube::ServerAccess& access, const std::string& namespace_name,
                              std::uint64_t seed) {
  kube::ReflectorOptions alive = Following(resource::kPods, namespace_name);
  alive.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
  auto rooms = std::make_unique<RoomInformer>(access, alive, Reading(ReadRoom), seed);
  rooms->AddHandler({[this](const auto&, const PodRoom& pod) { room_.Add(pod); },
                     [this](const auto&, const PodRoom& before, const PodRoom& now) {
                       if (before == now) return;
                       room_.Remove(before);
                       room_.Add(now);
                       NotifyWaiters(before.node);
                     },
                     [this](const auto&, const PodRoom& last) {
                       room_.Remove(last);
                       NotifyWaiters(last.node);
                     }});
  pod_rooms_.push_back(std::move(rooms));
}

void ClusterCache::FollowOwned(const kube::ServerAccess& access, const std::string& namespace_name,
                               std::uint64_t seed) {
  const auto changed = [this](const kube::ObjectKey& key, const kube::OwnedMetadata& object,
                              const auto&...) {
    if (object.controller_kind != cluster::kJobKind) return;
    listener_.on_job({key.namespace_name, object.controller_name});
  };
  for (const kube::Resource* resource : {&resource::kConfigMaps, &resource::kSecrets,
                                         &resource::kServices, &resource::kNetworkPolicies}) {
    kube::ReflectorOptions own = Following(*resource, namespace_name);
    own.label_selector = cluster::label::kManagedBy + "=" + cluster::kManager;
    own.metadata_only = true;
    auto informer = std::make_unique<OwnedInformer>(
        access, own,
        [](const kube::Json& object) {
          return kube::ReadOwnedMetadata(object, OwnedObjectSettings());
        },
        ++seed);
    informer->AddHandler({changed, changed, changed});
    owned_.push_back({*resource, std::move(informer)});
  }
}

std::shared_ptr<const kube::OwnedMetadata> ClusterCache::FindOwned(
    const kube::Resource& resource, const kube::ObjectKey& key) const {
  for (const OwnedKind& kind : owned_) {
    if (kind.resource != resource) continue;
    if (auto found = kind.informer->Objects().Find(key)) return found;
  }
  return nullptr;
}

void ClusterCache::FollowPolicies() {
  const auto changed = [this](const kube::ObjectKey& key, const auto&...) {
    listener_.on_policy(key);
    TellActive(key.name);
  };
  policies_.AddHandler(
      {changed,
       [this, changed](const kube::ObjectKey& key, const cluster::PolicyView& before,
                       const cluster::PolicyView& now) {
         if (before.meta.generation != now.meta.generation) return changed(key);
         listener_.on_policy(key);  // jobs do not depend on its status
       },
       changed});
}

void ClusterCache::FollowNodes() {
  const auto outdate = [this] {
    const std::scoped_lock lock(nodes_mutex_);
    nodes_by_name_.reset();
  };
  const auto changed = [this, outdate](const auto&...) {
    outdate();
    TellActive({});
  };
  nodes_.AddHandler(
      {changed,
       [this, outdate](const auto&, const cluster::NodeView& before, const cluster::NodeView& now) {
         outdate();
         if (Matters(before, now)) TellActive({});
       },
       changed});
}

void ClusterCache::TellActive(const std::string& policy) {
  for (const auto& informer : jobs_) {
    for (const auto& job : informer->Objects().All()) {
      const bool concerned = policy.empty() || job->spec.weighting.policy == policy;
      if (concerned && !cluster::IsOver(job->status.conditions))
        listener_.on_job({job->meta.namespace_name, job->meta.name});
    }
  }
}

std::vector<std::shared_ptr<const cluster::WeightedJob>> ClusterCache::Dependents(
    const kube::ObjectKey& key) const {
  std::vector<std::shared_ptr<const cluster::WeightedJob>> dependents;
  for (const auto& informer : jobs_) {
    auto some = informer->Objects().Under(kByDependency, ToString(key));
    std::move(some.begin(), some.end(), std::back_inserter(dependents));
  }
  return dependents;
}

void ClusterCache::NotifyDependents(const kube::ObjectKey& key) {
  for (const auto& job : Dependents(key)) {
    if (plan::WaitsFor(*job, key.name)) listener_.on_job({key.namespace_name, job->meta.name});
  }
}

void ClusterCache::NotifyReleasedDependencies(const cluster::WeightedJob& before,
                                              const cluster::WeightedJob* now) {
  for (const std::string& name : plan::AwaitedJobs(before.spec)) {
    const bool released =
        plan::WaitsFor(before, name) && (now == nullptr || !plan::WaitsFor(*now, name));
    if (released) listener_.on_job({before.meta.namespace_name, name});
  }
}

std::optional<cluster::Resources> ClusterCache::RoomOn(const std::string& node) const {
  const auto found = nodes_.Objects().Find({"", node});
  if (!found) return std::nullopt;
  const auto requested = room_.Requested();
  const auto used = requested->find(node);
  return used == requested->end() ? found->allocatable : found->allocatable - used->second;
}

void ClusterCache::NotifyWaiters(const std::string& node) {
  const auto room = RoomOn(node);
  if (!room) return;
  for (const kube::ObjectKey& job : waiters_.ThatFit(*room)) listener_.on_job(job);
}

void ClusterCache::AwaitRoom(const cluster::WeightedJob& job,
                             const std::vector<std::string>& crowded) {
  const kube::ObjectKey key{job.meta.namespace_name, job.meta.name};
  if (crowded.empty()) return waiters_.Remove(key);
  const cluster::Resources requests = cluster::LeastRoom(job);
  waiters_.Add(key, requests);
  // A pod may have left between the snapshot and Add().
  const bool is_there = std::any_of(crowded.begin(), crowded.end(), [&](const auto& node) {
    const auto room = RoomOn(node);
    return room && cluster::Fits(requests, *room);
  });
  if (is_there) listener_.on_job(key);
}

plan::RoomHolders ClusterCache::HoldersOfRoom(const kube::ObjectKey& job,
                                              const std::vector<std::string>& nodes) const {
  plan::RoomHolders holders;
  for (const std::string& node : nodes) {
    auto& by_job = holders[node];
    for (const auto& informer : pods_) {
      const auto pods = informer->Objects().Under(kByNode, NodeWord(job.namespace_name, node));
      for (const auto& pod : pods) {
        const bool own_worker = pod->job == job.name && pod->role == cluster::PodRole::kWorker;
        if (pod->job.empty() || own_worker) continue;
        cluster::Resources& sum = by_job[pod->job];
        sum = sum + pod->requests;
      }
    }
  }
  return holders;
}

void ClusterCache::Start() {
  nodes_.Start();
  policies_.Start();
  for (auto& informer : pod_rooms_) informer->Start();
  for (auto& informer : pods_) informer->Start();
  for (auto& kind : owned_) kind.informer->Start();
  for (auto& informer : jobs_) informer->Start();
}

void ClusterCache::Stop() {
  for (auto& informer : jobs_) informer->Stop();
  for (auto& kind : owned_) kind.informer->Stop();
  for (auto& informer : pods_) informer->Stop();
  for (auto& informer : pod_rooms_) informer->Stop();
  policies_.Stop();
  nodes_.Stop();
}

bool ClusterCache::HasSynced() const {
  const auto synced = [](const auto& informer) { return informer->HasSynced(); };
  return nodes_.HasSynced() && policies_.HasSynced() &&
         std::all_of(jobs_.begin(), jobs_.end(), synced) &&
         std::all_of(pods_.begin(), pods_.end(), synced) &&
         std::all_of(owned_.begin(), owned_.end(),
                     [](const auto& kind) { return kind.informer->HasSynced(); }) &&
         std::all_of(pod_rooms_.begin(), pod_rooms_.end(), synced);
}

bool ClusterCache::WaitUntilSynced(const std::stop_token& stop) const {
  constexpr Duration kAWhile = std::chrono::hours(1);
  const auto wait = [&](const auto& informer) {
    while (!stop.stop_requested()) {
      if (informer.WaitUntilSynced(kAWhile, stop)) return true;
    }
    return false;
  };
  const auto wait_for = [&](const auto& informer) { return wait(*informer); };
  return wait(nodes_) && wait(policies_) && std::all_of(jobs_.begin(), jobs_.end(), wait_for) &&
         std::all_of(pods_.begin(), pods_.end(), wait_for) &&
         std::all_of(owned_.begin(), owned_.end(),
                     [&](const auto& kind) { return wait(*kind.informer); }) &&
         std::all_of(pod_rooms_.begin(), pod_rooms_.end(), wait_for);
}

std::shared_ptr<const cluster::WeightedJob> ClusterCache::Job(const kube::ObjectKey& key) const {
  for (const auto& informer : jobs_) {
    if (auto job = informer->Objects().Find(key)) return job;
  }
  return nullptr;
}

std::map<std::string, int> ClusterCache::JobsByState() const {
  std::map<std::string, int> states{{"Pending", 0}};
  for (const auto& key : Jobs()) {
    const auto job = Job(key);
    if (job) ++states[cluster::PhaseOf(job->status.conditions)];
  }
  return states;
}

std::vector<kube::ObjectKey> ClusterCache::Jobs() const {
  std::vector<kube::ObjectKey> keys;
  for (const auto& informer : jobs_) {
    const auto some = informer->Objects().Keys();
    keys.insert(keys.end(), some.begin(), some.end());
  }
  return keys;
}

std::shared_ptr<const cluster::PolicyView> ClusterCache::Policy(const std::string& name) const {
  return policies_.Objects().Find({"", name});
}

std::vector<kube::ObjectKey> ClusterCache::Policies() const { return policies_.Objects().Keys(); }

std::shared_ptr<const plan::Nodes> ClusterCache::Nodes() const {
  const std::scoped_lock lock(nodes_mutex_);
  if (!nodes_by_name_) {
    auto nodes = std::make_shared<plan::Nodes>();
    for (auto& node : nodes_.Objects().All()) nodes->emplace(node->Name(), node);
    nodes_by_name_ = std::move(nodes);
  }
  return nodes_by_name_;
}

plan::Snapshot ClusterCache::Look(const std::shared_ptr<const cluster::WeightedJob>& job) const {
  plan::Snapshot snapshot;
  snapshot.job = *job;
  if (const auto policy = Policy(job->spec.weighting.policy)) snapshot.policy = *policy;
  snapshot.nodes = Nodes();
  snapshot.requests = room_.Requested();
  const kube::ObjectKey key{job->meta.namespace_name, job->meta.name};
  if (!plan::AwaitedJobs(job->spec).empty() && !cluster::IsOver(job->status.conditions)) {
    snapshot.dependencies = plan::CollectDependencies(*job, !Dependents(key).empty(),
                                                      [this, &key](const std::string& name) {
                                                        return Job({key.namespace_name, name});
                                                      });
  }
  if (job->ttl) {
    const auto dependents = Dependents(key);
    snapshot.has_waiting_dependents =
        std::any_of(dependents.begin(), dependents.end(),
                    [&key](const auto& one) { return plan::WaitsFor(*one, key.name); });
  }
  const std::string word = ToString(key);
  for (const auto& informer : pods_) {
    for (const auto& pod : informer->Objects().Under(kByJob, word)) {
      if (pod->owner == job->meta.uid) snapshot.pods.push_back(*pod);
    }
  }
  return snapshot;
}

}  // namespace evenkeel::controller
