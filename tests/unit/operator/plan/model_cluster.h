#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operator/plan/make_plan.h"

namespace evenkeel::plan {

/// A node with 4 cores and 4 GiB, ready, with hardware labels by which Pi 4 and Pi 3 differ.
[[nodiscard]] cluster::NodeView Pi4(const std::string& name);
[[nodiscard]] cluster::NodeView Pi3(const std::string& name);

/// A small model of a cluster with one job: applies plans at once, and lets scheduler, kubelets and
/// coordinator do their part in Settle(). Checks with each action that it is allowed. Time only
/// advances when the test advances it.
class ModelCluster {
 public:
  ModelCluster();

  [[nodiscard]] Snapshot Take() const;
  /// Makes a plan, applies it and settles.
  Plan Step();
  void Steps(int count) {
    for (int i = 0; i < count; ++i) Step();
  }
  /// Steps until plans ask for nothing any more, moving time by what they ask for. False if that
  /// took more than `limit` steps.
  bool Rest(int limit = 200);
  void Settle();
  void Apply(const Plan& plan);
  void Advance(Duration duration) { now += duration; }

  void AddNode(cluster::NodeView node);
  void RemoveNode(const std::string& name);
  void SetReady(const std::string& node, bool ready);
  [[nodiscard]] cluster::NodeView& Node(const std::string& name) { return nodes.at(name); }
  /// As kubectl delete pod does it.
  void DeletePod(const std::string& name);
  [[nodiscard]] cluster::PodView* Pod(const std::string& name);
  [[nodiscard]] cluster::PodView* WorkerOn(const std::string& node);
  [[nodiscard]] cluster::PodView* Coordinator();
  /// Nodes with a worker pod that has not ended and is not being deleted, in order.
  [[nodiscard]] std::vector<std::string> WorkerNodes() const;
  /// The condition, as "Status Reason"; "none" if it is not there.
  [[nodiscard]] std::string Condition(const std::string& type) const;
  /// The condition's message; empty if it is not there.
  [[nodiscard]] std::string ConditionMessage(const std::string& type) const;
  /// A change of spec through the API server.
  void ChangeSpec(const std::function<void(cluster::WeightedJob&)>& change);

  platform::Timestamp now{};
  cluster::WeightedJob job;
  std::optional<cluster::PolicyView> policy;
  Dependencies dependencies;            ///< as of the jobs in spec.after
  bool has_waiting_dependents = false;  ///< see Snapshot
  std::map<std::string, cluster::NodeView> nodes;
  Requests others;      ///< of other jobs, known to the operator
  RoomHolders holders;  ///< which of `others` are of jobs of this namespace
  Requests unknown;     ///< of pods the operator does not see
  std::set<std::string> broken_images;
  std::optional<std::string> claim_node;  ///< the claim is local to this node
  bool claim_exists = true;
  std::set<std::string> missing_claims;  ///< for caches of workers
  bool snapshot_too_large = false;
  bool refresh_works = true;  ///< kubelets have the new plan when the pod is annotated
  int refreshes = 0;          ///< different ones
  bool job_is_gone = false;
  /// The answer of Prometheus; nothing: there is no Prometheus.
  std::optional<HistoryAnswer> prometheus;
  int asked = 0;  ///< number of queries
  std::vector<cluster::PodView> pods;
  std::optional<cluster::JobPlan> plan;
  std::vector<std::string> worker_nodes;  ///< that have a certificate
  std::optional<cluster::SnapshotView> kept;
  std::optional<std::string> refusal;
  OperatorSettings settings;
  cluster::Progress progress;  ///< of the coordinator, unless it is drained
  std::optional<platform::Timestamp> last_status_write;
  std::vector<Event> events;
  std::vector<std::string> violations;  ///< rules that plans have broken; to be empty

 private:
  void Do(const Action& action);
  void Reconcile(const DesiredObjects& objects);
  void Reach(const DesiredCoordinator& desired);
  void Create(cluster::PodView pod);
  void CheckCreation(const cluster::PodView& pod);
  void Schedule(cluster::PodView& pod);
  [[nodiscard]] bool Fits(const cluster::NodeView& node, const cluster::PodView& pod) const;
  [[nodiscard]] Requests AllRequests() const;

  std::set<std::string> drained_;  // uids of coordinators
  bool delivered_ = false;         // the coordinator has delivered a snapshot
  std::int64_t refreshed_ = 0;     // the latest value
  int made_ = 0;
};

}  // namespace evenkeel::plan
