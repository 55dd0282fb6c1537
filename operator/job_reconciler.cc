#include "operator/job_reconciler.h"

#include <algorithm>
#include <utility>

#include "cluster/job_plan_json.h"
#include "cluster/job_status.h"
#include "cluster/job_status_json.h"
#include "cluster/names.h"
#include "cluster/worker_size.h"
#include "core/base/log.h"
#include "core/model/node_power.h"
#include "operator/desired_objects.h"
#include "operator/plan/weighting.h"
#include "operator/plan/worker_placement.h"
#include "operator/resources.h"

namespace evenkeel::controller {
namespace {

const std::string kApiVersion = kube::ApiVersionOf(resource::kJobs);

void RequeueAfter(Reconciliation& end, Duration after) {
  end.requeue_after = std::min(end.requeue_after.value_or(after), after);
}

/// The ConfigMap, or null if this job has none of that name. An earlier job of the same name may
/// have left one that is about to be collected.
kube::ApiResult<kube::Json> ReadOwned(const kube::Client& client, const cluster::WeightedJob& job,
                                      const std::string& name) {
  auto object = client.Get(resource::kConfigMaps, job.meta.namespace_name, name);
  if (!object && object.error().kind != kube::ApiErrorKind::kNotFound) return object;
  if (!object) return kube::Json(nullptr);
  const auto metadata = kube::ReadOwnedMetadata(*object, OwnedObjectSettings());
  if (!metadata || metadata->controller_uid != job.meta.uid) return kube::Json(nullptr);
  return object;
}

/// The pod with that uid, if its coordinator can be reached.
const cluster::PodView* ReachablePod(const std::vector<cluster::PodView>& pods,
                                     const std::string& uid) {
  const auto found =
      std::find_if(pods.begin(), pods.end(), [&](const auto& pod) { return pod.uid == uid; });
  return found == pods.end() || found->ip.empty() || found->Ended() ? nullptr : &*found;
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

ProfileKey HistoryKeyOf(const cluster::WeightedJob& job) {
  return {job.meta.namespace_name, job.spec.profile};
}

/// The plausible part of the work that the coordinator reports; its image may be a tenant's. Only
/// nodes that had a worker of this job count, each for no more busy time than that worker's threads
/// had.
std::vector<DoneWork> DoneBy(const std::vector<cluster::NodeWork>& work,
                             const plan::Snapshot& snapshot, const JobRecord& record) {
  std::vector<DoneWork> done;
  for (const cluster::NodeWork& row : work) {
    const auto node = snapshot.nodes->find(row.node);
    const auto since = record.worker_since.find(row.node);
    if (node == snapshot.nodes->end() || since == record.worker_since.end()) continue;
    const std::int64_t threads = std::clamp<std::int64_t>(
        row.threads, 1, std::max(cluster::ThreadsOf(snapshot.job, *node->second), 1));
    const double possible = ToSeconds(snapshot.now - since->second) * static_cast<double>(threads);
    const double busy = std::clamp(row.busy_seconds, 0.0, std::max(possible, 0.0));
    const double believed = row.busy_seconds > 0 ? busy / row.busy_seconds : 0;
    const auto power = plan::WorkerPower(*node->second, threads);
    const double joules =
        power ? model::JoulesOf(*power, busy, static_cast<std::uint32_t>(threads), 0).dynamic : 0;
    done.push_back({row.node, row.units * believed, busy, joules});
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
    parts_.cache.ForgetRoom(key);
    return end;
  }
  const auto record = RecordOf(key, *job);
  if (!record) {
    end.failed = true;
    end.error = "its plan cannot be read: " + record.error().message;
    return end;
  }
  plan::Snapshot snapshot = TakeSnapshot(key, job, **record);
  plan::Plan plan = plan::MakePlan(snapshot);
  if (plan.wants_history) {
    // The answer brings the job back into the queue.
    parts_.rates.Request(HistoryKeyOf(*job), key);
    return end;
  }
  AwaitRoom(plan, snapshot);
  end.requeue_after = plan.requeue_after;
  Execute(plan, snapshot, **record, end);
  const bool written = WriteStatus(key, plan, snapshot, **record, end);
  UpdateHistory(plan, snapshot, **record, written);
  RecordEvents(plan, *job, written);
  UpdatePoller(key, plan, snapshot, **record);  // also when something is refused: the rest goes on
  return end;
}

tl::expected<std::shared_ptr<JobRecord>, kube::ApiError> JobReconciler::RecordOf(
    const kube::ObjectKey& key, const cluster::WeightedJob& job) {
  if (auto known = records_.Find(key, job.meta.uid)) return known;
  parts_.poller.Forget(key);  // whatever is known is of an earlier job of that name
  auto record = std::make_shared<JobRecord>();
  record->uid = job.meta.uid;
  const auto& client = parts_.executor.client;
  const auto plan = ReadOwned(client, job, cluster::PlanName(job.meta.name));
  if (!plan) return tl::unexpected(plan.error());
  if (!plan->is_null()) {
    if (IsAuthentic(*plan, job, *parts_.executor.keys.Keys())) {
      record->plan = cluster::ReadJobPlan(*plan);
    } else {
      Log(LogLevel::kWarning, ToString(key) + ": ConfigMap " + cluster::PlanName(job.meta.name) +
                                  " was not written by this operator; it is made again");
      record->applied[{"ConfigMap", cluster::PlanName(job.meta.name)}].must_write = true;
    }
  }
  const auto kept = ReadOwned(client, job, cluster::SnapshotName(job.meta.name));
  if (!kept) return tl::unexpected(kept.error());
  if (!kept->is_null()) record->kept = cluster::ReadSnapshotView(*kept);
  records_.Put(key, record);
  return record;
}

plan::Snapshot JobReconciler::TakeSnapshot(const kube::ObjectKey& key, const Job& job,
                                           JobRecord& record) const {
  plan::Snapshot snapshot = parts_.cache.Look(job);
  snapshot.now = WallNow();
  const bool behind = record.written && record.written->on_version == job->meta.resource_version;
  if (behind) snapshot.job.status = record.written->status;
  snapshot.plan = record.plan;
  snapshot.kept = record.kept;
  if (const auto last = parts_.poller.Last(key)) {
    snapshot.report = {last->pod_uid, last->progress, parts_.clock.Now() - last->at,
                       last->snapshot != nullptr};
    if (last->snapshot_refusal) record.snapshot_refusal = last->snapshot_refusal;
  }
  snapshot.snapshot_refusal = record.snapshot_refusal;
  snapshot.failure = record.failure;
  snapshot.name_conflict = record.name_conflict;
  snapshot.last_status_write = record.last_status_write;
  snapshot.history_there = parts_.rates.IsThere();
  snapshot.history = parts_.rates.Find(HistoryKeyOf(*job));
  snapshot.settings = parts_.settings;
  const auto keys = parts_.executor.keys.Keys();
  snapshot.settings.key_id = keys->current.id;
  snapshot.settings.previous_key_id = keys->previous.id;
  return snapshot;
}

void JobReconciler::AwaitRoom(plan::Plan& plan, plan::Snapshot& snapshot) const {
  const cluster::WeightedJob& job = snapshot.job;
  parts_.cache.AwaitRoom(job, plan.crowded_nodes);
  if (plan.crowded_nodes.empty()) return;
  std::vector<std::string> nodes = plan.crowded_nodes;
  nodes.resize(std::min(nodes.size(), plan::kMaxExplainedNodes));
  snapshot.room_holders =
      parts_.cache.HoldersOfRoom({job.meta.namespace_name, job.meta.name}, nodes);
  plan = plan::MakePlan(snapshot);
}

void JobReconciler::Execute(const plan::Plan& plan, const plan::Snapshot& snapshot,
                            JobRecord& record, Reconciliation& end) const {
  const auto last = parts_.poller.Last({snapshot.job.meta.namespace_name, snapshot.job.meta.name});
  ActionExecutor executor(parts_.executor, snapshot, last ? last->snapshot : nullptr, record);
  ActionResult done;
  if (plan.objects) done = executor.Reconcile(*plan.objects);
  for (auto action = plan.actions.begin(); done && action != plan.actions.end(); ++action) {
    done = executor.Execute(*action);
  }
  if (executor.AwaitsCache()) RequeueAfter(end, kube::kCacheLag);
  if (done) {
    record.failure.reset();
    record.name_conflict.reset();
    return;
  }
  const ActionError& error = done.error();
  if (error.namespace_terminating) return;  // the watch will tell when it is gone
  end.failed = true;
  end.error = error.action + ": " + error.message;
  if (error.is_permanent) record.failure = plan::ApplyFailure{error.action, error.message};
  record.name_conflict.reset();
  if (!error.name_conflict.empty()) record.name_conflict = error.name_conflict;
}

bool JobReconciler::WriteStatus(const kube::ObjectKey& key, const plan::Plan& plan,
                                const plan::Snapshot& snapshot, JobRecord& record,
                                Reconciliation& end) const {
  if (!plan.status) return false;
  const Duration wait = parts_.pacer.Ask(key, plan.status_is_urgent, parts_.clock.Now());
  if (wait > Duration::zero()) {
    RequeueAfter(end, wait);
    end.status_pending = true;
    return false;
  }
  const auto& meta = snapshot.job.meta;
  const auto written = parts_.executor.client.ApplyStatus(
      resource::kJobs, meta.namespace_name, meta.name, StatusObject(snapshot.job, *plan.status),
      {cluster::kManager, true});
  if (written) {
    record.last_status_write = snapshot.now;
    record.written = JobRecord::WrittenStatus{meta.resource_version, *plan.status};
    return true;
  }
  if (kube::IsGoneOrReplaced(written.error())) return false;  // the watch will tell
  end.failed = true;
  if (end.error.empty()) end.error = "status cannot be written: " + written.error().message;
  return false;
}

void JobReconciler::RecordEvents(const plan::Plan& plan, const cluster::WeightedJob& job,
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

void JobReconciler::UpdateHistory(const plan::Plan& plan, const plan::Snapshot& snapshot,
                                  JobRecord& record, bool status_written) const {
  const ProfileKey profile = HistoryKeyOf(snapshot.job);
  for (const cluster::PodView& pod : snapshot.pods) {
    if (pod.role != cluster::PodRole::kWorker || !pod.has_run) continue;
    const auto [entry, is_new] = record.worker_since.try_emplace(pod.node, pod.created);
    if (!is_new) entry->second = std::min(entry->second, pod.created);
  }
  if (record.plan && !record.expected && !cluster::IsOver(snapshot.job.status.conditions)) {
    std::vector<std::string> nodes;
    for (const auto& node : record.plan->nodes) nodes.push_back(node.name);
    parts_.history.Expect(profile, nodes);
    record.expected = true;
  }
  const bool was_over = cluster::IsOver(snapshot.job.status.conditions);
  if (!status_written || !cluster::IsOver(plan.status->conditions) || was_over) return;
  if (std::exchange(record.counted, true)) return;
  if (snapshot.report && !snapshot.report->progress.work.empty()) {
    parts_.history.Count(profile, DoneBy(snapshot.report->progress.work, snapshot, record));
  } else if (plan.status->tasks && plan.status->tasks->completed > 0) {
    parts_.history.Miss();
  }
}

void JobReconciler::UpdatePoller(const kube::ObjectKey& key, const plan::Plan& plan,
                                 const plan::Snapshot& snapshot, JobRecord& record) const {
  const cluster::PodView* pod =
      plan.coordinator ? ReachablePod(snapshot.pods, plan.coordinator->pod_uid) : nullptr;
  if (pod == nullptr || !record.plan) return parts_.poller.Pause(key);
  const cluster::WeightedJob& job = snapshot.job;
  const cluster::IdentityKeys& identity = record.plan->identity;
  const auto keys = parts_.executor.keys.Keys();
  const kube::WallTime now = parts_.executor.wall.Now();
  if (std::string digest = AuthoritiesDigest(identity, now); digest != record.authorities.digest) {
    auto pem = TrustedAuthorities(job, identity, *keys, now);
    if (!pem) {
      Log(LogLevel::kWarning, ToString(key) + ": " + pem.error().message);
      return parts_.poller.Pause(key);
    }
    record.authorities = {std::move(digest), std::move(*pem)};
  }
  parts_.poller.Follow(key,
                       {pod->uid, pod->ip, cluster::CoordinatorName(job.meta.name),
                        record.authorities.pem, OperatorTokens(job, identity, *keys)},
                       *plan.coordinator);
}

platform::Timestamp JobReconciler::WallNow() const {
  return platform::Timestamp(parts_.executor.wall.Now().time_since_epoch());
}

}  // namespace evenkeel::controller
