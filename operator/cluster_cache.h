#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cluster/node.h"
#include "cluster/pod.h"
#include "cluster/resources.h"
#include "cluster/weighted_job.h"
#include "kubernetes/informer.h"
#include "kubernetes/owned_object.h"
#include "operator/action_executor.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::controller {

/// A pod, whosever it is, as far as it takes room on a node.
struct PodRoom {
  std::string node;  ///< empty: nowhere yet
  cluster::Resources requests;

  [[nodiscard]] bool Counts() const { return !node.empty(); }

  friend bool operator==(const PodRoom&, const PodRoom&) = default;
};

/// The sum of the resource requests of all pods on each node, updated pod by pod. Thread-safe.
class NodeRoom {
 public:
  void Add(const PodRoom& pod);
  void Remove(const PodRoom& pod);
  /// As things stand; the same object until something changes.
  [[nodiscard]] std::shared_ptr<const plan::Requests> Requested() const;

 private:
  mutable std::mutex mutex_;
  // All guarded by mutex_.
  plan::Requests requested_;
  mutable std::shared_ptr<const plan::Requests> shared_;  // null: out of date
};

/// The jobs that wait for room on nodes. Thread-safe.
class RoomWaiters {
 public:
  /// `requests` are those of one worker. Replaces an earlier entry of the job.
  void Add(const kube::ObjectKey& job, const cluster::Resources& requests);
  void Remove(const kube::ObjectKey& job);
  /// The jobs of which a worker fits into this room.
  [[nodiscard]] std::vector<kube::ObjectKey> ThatFit(const cluster::Resources& room) const;

 private:
  mutable std::mutex mutex_;
  std::map<kube::ObjectKey, cluster::Resources> requests_;  // guarded by mutex_
};

/// Callbacks for changes. Called on the informers' threads; must not block.
struct CacheListener {
  /// Added, changed or deleted; also when that happened to a job that it waits for, or to one that
  /// waited for it, and when there is room on a node that it waits for.
  std::function<void(const kube::ObjectKey& job)> on_job;
  std::function<void(const kube::ObjectKey& job)>
      on_job_pods;  ///< one of its pods was added, changed or deleted
  std::function<void(const kube::ObjectKey& policy)> on_policy;  ///< added, changed or deleted
};

/// The last observed state of the cluster, updated by watches: jobs, policies, nodes, pods, and the
/// metadata of the objects that jobs own.
/// Thread-safe; Start() and Stop() are for one owner.
class ClusterCache final : public OwnedObjectCache {
 public:
  /// `namespaces`: the namespaces whose jobs are watched; empty: all. The objects that `access`
  /// refers to must outlive the cache. `seed` spreads the times of many operators.
  ClusterCache(const kube::ServerAccess& access, const std::vector<std::string>& namespaces,
               CacheListener listener, std::uint64_t seed);
  ~ClusterCache() override;

  void Start();
  void Stop();
  /// All of it has been seen once.
  [[nodiscard]] bool HasSynced() const;
  /// Waits for that; false: `stop` came first.
  [[nodiscard]] bool WaitUntilSynced(const std::stop_token& stop) const;

  /// Null when there is none.
  [[nodiscard]] std::shared_ptr<const cluster::WeightedJob> Job(const kube::ObjectKey& key) const;
  [[nodiscard]] std::vector<kube::ObjectKey> Jobs() const;
  /// Null when there is none of this name.
  [[nodiscard]] std::shared_ptr<const cluster::PolicyView> Policy(const std::string& name) const;
  [[nodiscard]] std::vector<kube::ObjectKey> Policies() const;
  /// How many jobs there are in each state; a state that is not known yet is Pending.
  [[nodiscard]] std::map<std::string, int> JobsByState() const;
  /// All nodes; never null.
  [[nodiscard]] std::shared_ptr<const plan::Nodes> Nodes() const;
  [[nodiscard]] std::shared_ptr<const kube::OwnedMetadata> FindOwned(
      const kube::Resource& resource, const kube::ObjectKey& key) const override;
  /// The part of a snapshot that stands in the cluster.
  [[nodiscard]] plan::Snapshot Look(const std::shared_ptr<const cluster::WeightedJob>& job) const;
  /// Requests of the pods of all jobs in the namespace of `job`, without its own workers.
  [[nodiscard]] plan::RoomHolders HoldersOfRoom(const kube::ObjectKey& job,
                                                const std::vector<std::string>& nodes) const;
  /// Calls on_job whenever a pod leaves a node and a worker of the job fits there; at once if one
  /// fits on a node of `crowded` already. Ends if `crowded` is empty.
  void AwaitRoom(const cluster::WeightedJob& job, const std::vector<std::string>& crowded);
  /// The job does not wait for room any more.
  void ForgetRoom(const kube::ObjectKey& job) { waiters_.Remove(job); }

 private:
  using PodInformer = kube::Informer<cluster::PodView>;
  using RoomInformer = kube::Informer<PodRoom>;
  using OwnedInformer = kube::Informer<kube::OwnedMetadata>;
  using JobInformer = kube::Informer<cluster::WeightedJob>;

  void FollowNamespace(const kube::ServerAccess& access, const std::string& namespace_name,
                       std::uint64_t seed);
  void FollowRoom(const kube::ServerAccess& access, const std::string& namespace_name,
                  std::uint64_t seed);
  void FollowOwned(const kube::ServerAccess& access, const std::string& namespace_name,
                   std::uint64_t seed);
  void FollowPolicies();
  void FollowNodes();
  /// Free room on the node as it stands; nothing if there is no such node.
  [[nodiscard]] std::optional<cluster::Resources> RoomOn(const std::string& node) const;
  /// Brings the jobs whose workers fit there back into the queue, if they wait for room.
  void NotifyWaiters(const std::string& node);
  /// All jobs that a change of nodes or of this policy (empty: any) may concern.
  void TellActive(const std::string& policy);
  /// The jobs that name this one in spec.after or spec.rerun.
  [[nodiscard]] std::vector<std::shared_ptr<const cluster::WeightedJob>> Dependents(
      const kube::ObjectKey& key) const;
  /// Brings the jobs that wait for this one back into the queue.
  void NotifyDependents(const kube::ObjectKey& key);
  /// Does the same for jobs that a job waited for before a change and does not any more: one that
  /// is over may be deleted now. `now`: null if the job was deleted.
  void NotifyReleasedDependencies(const cluster::WeightedJob& before,
                                  const cluster::WeightedJob* now);

  const CacheListener listener_;
  NodeRoom room_;
  RoomWaiters waiters_;
  mutable std::mutex nodes_mutex_;
  mutable std::shared_ptr<const plan::Nodes> nodes_by_name_;  // guarded; null: out of date
  kube::Informer<cluster::NodeView> nodes_;
  kube::Informer<cluster::PolicyView> policies_;
  std::vector<std::unique_ptr<JobInformer>> jobs_;
  std::vector<std::unique_ptr<PodInformer>> pods_;
  std::vector<std::unique_ptr<RoomInformer>> pod_rooms_;
  struct OwnedKind {
    kube::Resource resource;
    std::unique_ptr<OwnedInformer> informer;
  };
  std::vector<OwnedKind> owned_;
};

}  // namespace evenkeel::controller
