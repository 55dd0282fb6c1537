#include "operator/job_reconciler.h"

#include <algorithm>
#include <utility>

#include "cluster/job_plan_json.h"
#include "cluster/job_status.h"
#include "cluster/job_status_json.h"
#include "cluster/names.h"
#include "core/base/log.h"
#include "core/model/node_power.h"
#include "operator/plan/weighting.h"
#include "operator/resources.h"

namespace evenkeel::controller {
namespace {

const std::string kApiVersion = cluster::kGroup + "/" + resource::kOwnVersion;

void AskAgain(Reconciliation& end, Duration after) {
  end.again = std::min(end.again.value_or(after), after);
}

/// Objects of an earlier job of the same name may still be there, about to be collected.
bool OwnedBy(const kube::Json& object, const std::string& uid) {
  const kube::Json& owners = kube::MemberOf(kube::MemberOf(object, "metadata"), "ownerReferences");
  return owners.is_array() && std::any_of(owners.begin(), owners.end(), [&](const auto& owner) {
           return kube::TextAt(owner, "uid") == uid;
         });
}

/// The ConfigMap, or null if this job has none of that name.
kube::ApiResult<kube::Json> ReadOwned(const kube::Client& client, const cluster::WeightedJob& job,
                                      const std::string& name) {
  auto object = client.Get(resource::kConfigMaps, job.meta.namespace_name, name);
  const bool missing = !object && object.error().kind == kube::ApiErrorKind::kNotFound;
  if (missing || (object && !OwnedBy(*object, job.meta.uid))) return kube::Json(nullptr);
  return object;
}

bool Over(const cluster::JobStatus& status) {
  return cluster::IsTrue(status.conditions, cluster::condition_type::kComplete) ||
         cluster::IsTrue(status.conditions, cluster::condition_type::kFailed);
}

/// The coordinator of the latest attempt that can be reached; null if there is none.
const cluster::PodView* Coordinator(const std::vector<cluster::PodView>& pods) {
  const cluster::PodView* latest = nullptr;
  for (const auto& pod : pods) {
    const bool reachable =
        pod.role == cluster::PodRole::kCoordinator && !pod.ip.empty() && !pod.Ended();
    if (reachable && (latest == nullptr || pod.attempt > latest->attempt)) latest = &pod;
  }
  return latest;
}

kube::Json StatusObject(const cluster::WeightedJob& job, const cluster::JobStatus& status) {
  return {{"apiVersion", kApiVersion},
          {"kind", cluster::kJobKind},
          {"metadata",
           {{"name", job.meta.name},
            {"namespace", job.meta.namespace_name},
            {"uid", job.meta.uid}}},  // never that of a later job of this name
          {"status", cluster::StatusJson(status)}};
}

std::vector<DoneWork> DoneBy(const std::vector<cluster::NodeWork>& work, const plan::Nodes& nodes) {
  std::vector<DoneWork> done;
  for (const cluster::NodeWork& row : work) {
    const auto node = nodes.find(row.node);
    const auto power =
        node == nodes.end() ? std::nullopt : plan::WorkerPower(*node->second, row.threads);
    const bool known = power && row.threads > 0;
    const double joules = known ? model::JoulesOf(*power, row.busy_seconds,
                                                  static_cast<std::uint32_t>(row.threads), 0)
                                      .dynamic
                                : 0;
    done.push_back({row.node, row.units, row.busy_seconds, joules});
  }
  return done;
}

}  // namespace

Reconciliation JobReconciler::Reconcile(const kube::ObjectKey& key) {
  Reconciliation end;
  const Job job = parts_.cache.Job(key);
  if (!job) {  // its objects go with it, by their owner references
    records_.Forget(key);
    parts_.poller.Forget(key);
    return end;
  }
  const auto record = RecordOf(key, *job);
  if (!record) {
    end.failed = true;
    end.trouble = "its plan cannot be read: " + record.error().message;
    return end;
  }
  plan::Snapshot snapshot = Look(key, job, **record);
  const plan::Plan plan = Decide(snapshot);
  end.again = plan.requeue_after;
  ExecuteActions(plan, snapshot, **record, end);
  const bool written = WriteStatus(key, plan, snapshot, **record, end);
  Remember(plan, snapshot, **record, written);
  Tell(plan, *job, written);
  Follow(key, snapshot, **record);  // also when something is refused: the rest goes on
  return end;
}

tl::expected<std::shared_ptr<JobRecord>, kube::ApiError> JobReconciler::RecordOf(
    const kube::ObjectKey& key, const cluster::WeightedJob& job) {
  if (auto known = records_.Find(key, job.meta.uid)) return known;
  parts_.poller.Forget(key);  // whatever is known is of an earlier job of that name
  auto record = std::make_shared<JobRecord>();
  record->uid = job.meta.uid;
  const auto& client = parts_.tools.client;
  const auto plan = ReadOwned(client, job, cluster::PlanName(job.meta.name));
  if (!plan) return tl::unexpected(plan.error());
  if (!plan->is_null()) record->plan = cluster::ReadJobPlan(*plan);
  const auto kept = ReadOwned(client, job, cluster::SnapshotName(job.meta.name));
  if (!kept) return tl::unexpected(kept.error());
  if (!kept->is_null()) record->kept = cluster::ReadSnapshotView(*kept);
  records_.Put(key, record);
  return record;
}

plan::Snapshot JobReconciler::Look(const kube::ObjectKey& key, const Job& job,
                                   const JobRecord& record) const {
  plan::Snapshot snapshot = parts_.cache.Look(job);
  snapshot.now = WallNow();
  const bool behind = record.written && record.written->on_version == job->meta.resource_version;
  if (behind) snapshot.job.status = record.written->status;
  snapshot.plan = record.plan;
  snapshot.kept = record.kept;
  if (const auto last = parts_.poller.Last(key)) {
    snapshot.report = {last->pod_uid, last->progress, parts_.clock.Now() - last->at};
  }
  if (record.snapshot_refusal) snapshot.snapshot_refusal = record.snapshot_refusal->why;
  snapshot.failure = record.failure;
  snapshot.last_status_write = record.last_status_write;
  snapshot.history_there = parts_.rates.IsThere();
  snapshot.settings = parts_.settings;
  return snapshot;
}

plan::Plan JobReconciler::Decide(plan::Snapshot& snapshot) const {
  plan::Plan plan = plan::MakePlan(snapshot);
  if (!plan.wants_history) return plan;
  snapshot.history = parts_.rates.Ask(snapshot.job.spec.profile);
  return plan::MakePlan(snapshot);
}

void JobReconciler::ExecuteActions(const plan::Plan& plan, const plan::Snapshot& snapshot,
                                   JobRecord& record, Reconciliation& end) const {
  ActionExecutor executor(parts_.tools, snapshot, record);
  for (const auto& action : plan.actions) {
    const auto done = executor.Execute(action);
    if (done) continue;
    if (done.error().namespace_terminating) return;  // the watch will tell when it is gone
    end.failed = true;
    end.trouble = done.error().action + ": " + done.error().message;
    if (done.error().is_permanent) {
      record.failure = plan::ApplyFailure{done.error().action, done.error().message};
    }
    return;
  }
  record.failure.reset();
}

bool JobReconciler::WriteStatus(const kube::ObjectKey& key, const plan::Plan& plan,
                                const plan::Snapshot& snapshot, JobRecord& record,
                                Reconciliation& end) const {
  if (!plan.status) return false;
  const Duration wait = parts_.pacer.Ask(key, plan.status_is_urgent, parts_.clock.Now());
  if (wait > Duration::zero()) {
    AskAgain(end, wait);
    end.unfinished = true;
    return false;
  }
  const auto& meta = snapshot.job.meta;
  const auto written = parts_.tools.client.ApplyStatus(
      resource::kJobs, meta.namespace_name, meta.name, StatusObject(snapshot.job, *plan.status),
      {cluster::kManager, true});
  if (written) {
    record.last_status_write = snapshot.now;
    record.written = JobRecord::WrittenStatus{meta.resource_version, *plan.status};
    return true;
  }
  const bool gone = written.error().kind == kube::ApiErrorKind::kNotFound ||
                    written.error().kind == kube::ApiErrorKind::kConflict;
  if (gone) return false;  // the watch will tell
  end.failed = true;
  if (end.trouble.empty()) end.trouble = "status cannot be written: " + written.error().message;
  return false;
}

void JobReconciler::Tell(const plan::Plan& plan, const cluster::WeightedJob& job,
                         bool status_written) const {
  for (const auto& event : plan.events) {
    if (event.of_status && !status_written) continue;
    kube::Event told;
    told.regarding = {
        kApiVersion, cluster::kJobKind, {job.meta.namespace_name, job.meta.name}, job.meta.uid};
    told.type = event.warning ? kube::EventType::kWarning : kube::EventType::kNormal;
    told.reason = event.reason;
    told.action = "Reconcile";
    told.note = event.note;
    parts_.events.Record(std::move(told));
  }
}

void JobReconciler::Remember(const plan::Plan& plan, const plan::Snapshot& snapshot,
                             JobRecord& record, bool status_written) const {
  const std::string& profile = snapshot.job.spec.profile;
  if (record.plan && !record.expected && !Over(snapshot.job.status)) {
    std::vector<std::string> nodes;
    for (const auto& node : record.plan->nodes) nodes.push_back(node.name);
    parts_.history.Expect(profile, nodes);
    record.expected = true;
  }
  if (!status_written || !Over(*plan.status) || Over(snapshot.job.status)) return;
  if (std::exchange(record.counted, true)) return;
  if (snapshot.report && !snapshot.report->progress.work.empty()) {
    parts_.history.Count(profile, DoneBy(snapshot.report->progress.work, *snapshot.nodes));
  } else if (plan.status->tasks && plan.status->tasks->completed > 0) {
    parts_.history.Miss();
  }
}

void JobReconciler::Follow(const kube::ObjectKey& key, const plan::Snapshot& snapshot,
                           const JobRecord& record) const {
  const cluster::PodView* const coordinator = Coordinator(snapshot.pods);
  if (coordinator == nullptr || !record.plan || Over(snapshot.job.status)) {
    return parts_.poller.Pause(key);
  }
  parts_.poller.Follow(key, AddressOfCoordinator(snapshot.job, *coordinator, *record.plan,
                                                 parts_.tools.operator_key));
}

cluster::Timestamp JobReconciler::WallNow() const {
  return cluster::Timestamp(parts_.tools.wall.Now().time_since_epoch());
}

}  // namespace evenkeel::controller
