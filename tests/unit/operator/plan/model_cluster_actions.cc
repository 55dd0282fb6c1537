#include <algorithm>
#include <utility>

#include "cluster/names.h"
#include "cluster/worker_size.h"
#include "core/base/digest.h"
#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {

void ModelCluster::CheckCreation(const cluster::PodView& pod) {
  const auto rule = [&](bool broken, const char* what) {
    if (broken) violations.push_back(pod.name + " created " + what);
  };
  const bool refused = Condition(cluster::condition_type::kSuspended) == "False SnapshotTooLarge" ||
                       refusal.has_value();
  rule(job.suspend && !refused, "although the job is suspended");
  rule(Condition("Complete") != "none" || Condition("Failed") != "none", "for a job that is over");
  rule(job.meta.deleted.has_value() || job_is_gone, "for a job that is deleted");
  if (pod.role == cluster::PodRole::kCoordinator) return;
  for (const cluster::PodView& other : pods) {
    const bool same =
        other.role == cluster::PodRole::kWorker && other.target_node == pod.target_node;
    rule(same && other.name != pod.name, "as a second worker of a node");
  }
}

void ModelCluster::Create(cluster::PodView pod) {
  CheckCreation(pod);
  if (Pod(pod.name) != nullptr) return;  // AlreadyExists
  pod.uid = "uid-" + std::to_string(++made_);
  pod.job = job.meta.name;
  pod.created = platform::WholeSeconds(now);
  pods.push_back(std::move(pod));
}

void ModelCluster::DeletePod(const std::string& name) {
  cluster::PodView* pod = Pod(name);
  if (pod == nullptr) return;
  if (!pod->deleted) pod->deleted = now + std::chrono::seconds(30);
  pod->ready = false;
  if (pod->node.empty()) std::erase_if(pods, [&name](const auto& one) { return one.name == name; });
}

void ModelCluster::Do(const Action& action) {
  if (const auto* coordinator = std::get_if<CreateCoordinator>(&action)) {
    cluster::PodView pod;
    pod.role = cluster::PodRole::kCoordinator;
    pod.attempt = coordinator->pod.attempt;
    pod.name = cluster::CoordinatorPodName(job.meta.name, pod.attempt);
    pod.image = coordinator->pod.image;
    pod.requests = cluster::RequestsOf(cluster::CoordinatorResources());
    Create(std::move(pod));
  } else if (const auto* worker = std::get_if<CreateWorker>(&action)) {
    cluster::PodView pod;
    pod.role = cluster::PodRole::kWorker;
    pod.attempt = worker->pod.attempt;
    pod.name = cluster::WorkerPodName(job.meta.name, worker->pod.node);
    pod.target_node = worker->pod.node;
    pod.ratio = worker->pod.ratio;
    pod.weight = worker->pod.weight;
    pod.image = worker->pod.image;
    pod.requests = cluster::PodRequestsOf(job, worker->pod.resources.value_or(job.resources));
    Create(std::move(pod));
  } else if (const auto* deletion = std::get_if<plan::DeletePod>(&action)) {
    const cluster::PodView* pod = Pod(deletion->name);
    if (pod == nullptr || pod->uid != deletion->uid) return;
    DeletePod(deletion->name);
    if (deletion->at_once) {
      std::erase_if(pods, [&](const auto& one) { return one.uid == deletion->uid; });
    }
  } else if (const auto* refresh = std::get_if<RefreshCoordinator>(&action)) {
    if (std::exchange(refreshed_, refresh->value) != refresh->value) ++refreshes;
    if (refresh_works) progress.workload_digest = DigestOf(job.spec.workload_parameters);
  } else if (const auto* storing = std::get_if<StoreSnapshot>(&action)) {
    if (!delivered_) violations.emplace_back("a snapshot is stored that was not delivered");
    kept = cluster::SnapshotView{storing->attempt};
  } else if (std::holds_alternative<DeleteJob>(action)) {
    job_is_gone = true;
  }
}

void ModelCluster::Reconcile(const DesiredObjects& objects) {
  plan = objects.plan;
  if (plan->identity.issuer.empty()) violations.emplace_back("a plan without identity");
  worker_nodes = objects.worker_nodes;
}

/// Does the work of the poller immediately.
void ModelCluster::Reach(const DesiredCoordinator& desired) {
  const auto pod = std::find_if(pods.begin(), pods.end(),
                                [&](const auto& one) { return one.uid == desired.pod_uid; });
  if (pod == pods.end() || !pod->ready) return;
  if (desired.suspended) {
    drained_.insert(desired.pod_uid);
  } else {
    drained_.erase(desired.pod_uid);
  }
  delivered_ = false;
  if (!desired.wants_snapshot || !drained_.contains(desired.pod_uid)) return;
  if (snapshot_too_large) refusal = "the journal is too large";
  delivered_ = !snapshot_too_large;
}

void ModelCluster::Apply(const Plan& made) {
  if (made.objects) Reconcile(*made.objects);
  for (const Action& action : made.actions) {
    const auto* worker = std::get_if<CreateWorker>(&action);
    if (worker != nullptr && std::find(worker_nodes.begin(), worker_nodes.end(),
                                       worker->pod.node) == worker_nodes.end()) {
      violations.push_back("a worker on " + worker->pod.node + " without a certificate");
    }
    Do(action);
  }
  events.insert(events.end(), made.events.begin(), made.events.end());
  if (made.coordinator) Reach(*made.coordinator);
  if (!made.status) return;
  job.status = *made.status;
  last_status_write = now;
}

}  // namespace evenkeel::plan
