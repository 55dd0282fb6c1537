#include "operator/plan/lifecycle.h"

#include <algorithm>
#include <utility>

#include "core/model/run_record.h"
#include "operator/plan/coordinator_health.h"
#include "operator/plan/pod_diagnosis.h"

namespace evenkeel::plan {

void Fail(PlanBuilder& builder, const std::string& reason, std::string message) {
  if (cluster::IsTrue(builder.Status().conditions, cluster::condition_type::kSuspended)) {
    builder.SetCondition(cluster::condition_type::kSuspended, false, reason, "the job has failed");
  }
  builder.SetCondition(cluster::condition_type::kFailed, true, reason, std::move(message));
}

namespace {

void Complete(PlanBuilder& builder, const cluster::Progress& report) {
  builder.Status().completion_time = platform::WholeSeconds(builder.Now());
  if (report.cause == model::EndCause::kSuccessRuleMet) {
    builder.SetCondition(cluster::condition_type::kComplete, true, model::kSuccessPolicyMet,
                         "as many tasks succeeded as spec.taskPolicy.successPolicy asks for");
  } else {
    builder.SetCondition(cluster::condition_type::kComplete, true, "AllTasksDone",
                         "all results are durable");
  }
}

void FailAsReported(PlanBuilder& builder, const cluster::Progress& report) {
  const bool has_cause = report.cause == model::EndCause::kTasksFailed ||
                         report.cause == model::EndCause::kDeadlineExceeded ||
                         report.cause == model::EndCause::kResultsDiffer ||
                         report.cause == model::EndCause::kReduceFailed;
  Fail(builder, has_cause ? std::string(model::ToString(report.cause)) : "CoordinatorFailed",
       report.reason.empty() ? "the coordinator gives no reason" : report.reason);
}

bool EndByReport(PlanBuilder& builder) {
  const cluster::Progress* report = builder.Report();
  if (report == nullptr) return false;
  if (report->state == cluster::CoordinatorState::kComplete) Complete(builder, *report);
  if (report->state == cluster::CoordinatorState::kFailed) FailAsReported(builder, *report);
  return builder.Finished();
}

bool EndByRefusal(PlanBuilder& builder) {
  const cluster::PodView* coordinator = builder.Coordinator();
  if (coordinator == nullptr || builder.CoordinatorAnswers() || !RefusedItsJob(*coordinator)) {
    return false;
  }
  const std::string& words = coordinator->termination->message;
  Fail(builder, "InvalidSpec", words.empty() ? "the coordinator refused the job" : words);
  return true;
}

void EndByDeadline(PlanBuilder& builder) {
  const auto& deadline = builder.Job().spec.active_deadline;
  const auto& started = builder.Status().start_time;
  if (!deadline || !started || builder.Job().suspend) return;
  if (builder.Now() < *started + *deadline) {
    builder.RequeueAt(*started + *deadline);
    return;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*deadline).count();
  Fail(builder, "DeadlineExceeded",
       "spec.activeDeadlineSeconds: the job has been active for " + std::to_string(seconds) + " s");
}

}  // namespace

bool HasStarted(const PlanBuilder& builder) {
  return builder.snapshot().plan.has_value() || builder.Coordinator() != nullptr;
}

void EndIfOver(PlanBuilder& builder) {
  if (!builder.Job().invalid.empty()) {
    // A job that runs was started by an operator that could read it, perhaps a later version.
    if (HasStarted(builder)) {
      static_cast<void>(EndByReport(builder));
    } else {
      Fail(builder, "InvalidSpec", builder.Job().invalid);
    }
    return;
  }
  if (!builder.Job().too_large.empty() && !builder.snapshot().plan) {
    Fail(builder, "InvalidSpec", builder.Job().too_large);
    return;
  }
  if (EndByReport(builder) || EndByRefusal(builder)) return;
  EndByDeadline(builder);
}

namespace {

constexpr Duration kSoon = std::chrono::seconds(1);
/// A coordinator that has not answered for this time cannot be drained. It is polled every few
/// seconds.
constexpr Duration kSilenceWhileSuspending = std::chrono::seconds(30);

const std::string kResumed = "Resumed";

void Say(PlanBuilder& builder, std::string reason, std::string message) {
  builder.SetCondition(cluster::condition_type::kSuspended, false, std::move(reason),
                       std::move(message));
  builder.RequeueAfter(kSoon);
}

/// Its kubelet will never report that the pod's end is through.
bool OnLostNode(const PlanBuilder& builder, const cluster::PodView& pod) {
  if (pod.node.empty()) return false;
  const cluster::NodeView* node = builder.Node(pod.node);
  return node == nullptr || !node->ready;
}

void DeleteAllPods(PlanBuilder& builder) {
  for (const cluster::PodView* pod : builder.Pods()) builder.Delete(*pod);
}

bool AnyPodLeft(const PlanBuilder& builder) {
  const auto pods = builder.Pods();
  return std::any_of(pods.begin(), pods.end(), [&builder](const cluster::PodView* pod) {
    return !pod->deleted || !OnLostNode(builder, *pod);
  });
}

bool KeptFresh(const PlanBuilder& builder, const cluster::PodView& coordinator) {
  const auto& kept = builder.snapshot().kept;
  return kept && kept->attempt == coordinator.attempt;
}

void RefuseSuspension(PlanBuilder& builder, const cluster::Condition* known) {
  std::string message = "what is to be kept is larger than 512 KiB";
  if (known != nullptr && known->reason == reason::kSnapshotTooLarge) {
    message = known->message;
  } else if (builder.snapshot().snapshot_refusal) {
    message =
        *builder.snapshot().snapshot_refusal + "; the job goes on, as it has no resultStorage";
  }
  builder.SetCondition(cluster::condition_type::kSuspended, false, reason::kSnapshotTooLarge,
                       std::move(message));
}

/// Keeps the objects that a suspended job needs in order to resume.
void KeepObjects(PlanBuilder& builder, const cluster::JobPlan& plan) {
  const cluster::PodView* coordinator = builder.Coordinator();
  DesiredObjects objects{
      plan, coordinator != nullptr ? coordinator->attempt : plan.attempt_seen, {}};
  for (const cluster::PodView* pod : builder.Workers()) {
    if (!pod->target_node.empty()) objects.worker_nodes.push_back(pod->target_node);
  }
  std::sort(objects.worker_nodes.begin(), objects.worker_nodes.end());
  builder.SetObjects(std::move(objects));
}

/// There is a coordinator that works, or did.
void DrainAndDelete(PlanBuilder& builder, const cluster::PodView& pod) {
  if (!pod.has_run) {
    DeleteAllPods(builder);  // there is nothing to keep yet
    return Say(builder, reason::kSuspending, "pods are being deleted");
  }
  const cluster::Progress* report = builder.FreshReport(kSilenceWhileSuspending);
  if (report != nullptr && report->state == cluster::CoordinatorState::kInterrupted) {
    if (builder.HasClaim() || KeptFresh(builder, pod)) {
      DeleteAllPods(builder);
      return Say(builder, reason::kSuspending,
                 "the coordinator has drained, pods are being deleted");
    }
    builder.SetDesiredCoordinator({pod.uid, true, true});
    if (builder.snapshot().report->has_snapshot) builder.AddAction(StoreSnapshot{pod.attempt});
    return Say(builder, reason::kSuspending,
               "the coordinator has drained, its journal is being kept");
  }
  const bool silent = report == nullptr && builder.Report() != nullptr;
  const bool answers = builder.CoordinatorAnswers();
  if (builder.HasClaim() && (!answers || silent)) {
    DeleteAllPods(builder);  // what is durable is on the claim
    return Say(builder, reason::kSuspending, "pods are being deleted");
  }
  if (!answers) {
    return Say(builder, "CoordinatorUnreachable",
               "pod " + pod.name + " is not ready; what it has done cannot be kept yet");
  }
  builder.SetDesiredCoordinator({pod.uid, true, false});
  if (silent) {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(kSilenceWhileSuspending).count();
    return Say(builder, "CoordinatorUnreachable",
               "pod " + pod.name + " has not answered for " + std::to_string(seconds) +
                   " s; what it has done cannot be kept yet");
  }
  Say(builder, reason::kSuspending,
      builder.Report() == nullptr ? "the coordinator has not answered yet"
                                  : "the coordinator drains");
}

}  // namespace

bool SuspensionRefused(const PlanBuilder& builder) {
  if (builder.HasClaim()) return false;
  if (builder.snapshot().snapshot_refusal) return true;
  const cluster::Condition* known =
      cluster::Find(builder.Status().conditions, cluster::condition_type::kSuspended);
  return known != nullptr && known->reason == reason::kSnapshotTooLarge &&
         known->observed_generation == builder.Job().meta.generation;
}

void Suspend(PlanBuilder& builder) {
  const auto& plan = builder.snapshot().plan;
  if (plan) KeepObjects(builder, *plan);
  const CoordinatorAssessment assessment =
      AssessCoordinator(builder, plan ? plan->first_attempt : 1, plan ? plan->attempt_seen : 0);
  if (assessment.kind == CoordinatorHealth::kAlive) return DrainAndDelete(builder, *assessment.pod);
  if (assessment.kind == CoordinatorHealth::kNodeNotReady && !builder.HasClaim()) {
    return Say(builder, "CoordinatorUnreachable",
               "pod " + assessment.pod->name + " " + assessment.why +
                   "; what it has done cannot be kept yet");
  }
  DeleteAllPods(builder);
  if (AnyPodLeft(builder)) return Say(builder, reason::kSuspending, "pods are being deleted");
  builder.SetCondition(cluster::condition_type::kSuspended, true, "Suspended",
                       !plan                ? "nothing has been started yet"
                       : builder.HasClaim() ? "the progress is on the claim"
                                            : "the progress is kept");
  builder.Status().start_time.reset();  // as in batch/v1: the deadline counts from the resumption
}

bool UndoSuspension(PlanBuilder& builder) {
  const cluster::Condition* known =
      cluster::Find(builder.Status().conditions, cluster::condition_type::kSuspended);
  const bool begun = known != nullptr && known->reason != kResumed;
  const cluster::PodView* pod = builder.Coordinator();
  const cluster::Progress* report = builder.FreshReport(kSilenceWhileSuspending);
  const bool drained = report != nullptr && !pod->deleted &&
                       report->state == cluster::CoordinatorState::kInterrupted;
  if (builder.Job().suspend) {
    RefuseSuspension(builder, known);
  } else if (begun && !drained) {
    builder.SetCondition(cluster::condition_type::kSuspended, false, kResumed,
                         "spec.suspend is false");
  }
  if (!drained) return false;
  if (begun && (builder.HasClaim() || KeptFresh(builder, *pod))) {
    builder.Delete(*pod);
    return true;
  }
  builder.RequeueAfter(kSoon);
  return false;
}

namespace {

const std::string kReducing = "Reducing";

void SetReducingCondition(PlanBuilder& builder, const cluster::PodView& pod) {
  const auto& type = cluster::condition_type::kProgressing;
  const Diagnosis diagnosis = DiagnosePod(pod, builder.Now());
  if (diagnosis.requeue_after) builder.RequeueAfter(*diagnosis.requeue_after);
  if (diagnosis.trouble) {
    builder.SetCondition(type, false, diagnosis.trouble->reason, diagnosis.trouble->message);
    return;
  }
  if (const cluster::Progress* report = builder.FreshReport(kLongestSilence)) {
    builder.SetCondition(type, true, kReducing,
                         "all tasks are done; the reduce command runs, attempt " +
                             std::to_string(report->reduce_attempt));
    return;
  }
  // This operator may have just begun to ask.
  const platform::Timestamp patience = builder.snapshot().settings.started + kLongestSilence;
  if (builder.Now() < patience) return builder.RequeueAt(patience);
  builder.SetCondition(type, false, "CoordinatorUnreachable",
                       "pod " + pod.name + ", in which the reduce command runs, does not answer");
}

}  // namespace

bool RunsReduce(const PlanBuilder& builder) {
  const auto& plan = builder.snapshot().plan;
  if (!plan || AssessCoordinator(builder, plan->first_attempt, plan->attempt_seen).kind !=
                   CoordinatorHealth::kAlive) {
    return false;
  }
  if (const cluster::Progress* report = builder.Report()) {
    return report->state == cluster::CoordinatorState::kRunning && report->reduce_attempt > 0;
  }
  const cluster::Condition* known =
      cluster::Find(builder.Status().conditions, cluster::condition_type::kProgressing);
  return known != nullptr && known->reason == kReducing;
}

void AwaitReduce(PlanBuilder& builder) {
  static_cast<void>(UndoSuspension(builder));
  const cluster::PodView& pod = *builder.Coordinator();
  KeepObjects(builder, *builder.snapshot().plan);
  builder.SetDesiredCoordinator({pod.uid, false, false});
  for (const cluster::PodView* worker : builder.Workers()) {
    if (!worker->Ended() || worker->lingers) builder.Delete(*worker);
  }
  SetReducingCondition(builder, pod);
}

namespace {

/// How long workers have to end by themselves, and a coordinator to drain.
constexpr Duration kGrace = std::chrono::seconds(30);

bool DeleteAtEndOfLife(PlanBuilder& builder) {
  if (!builder.Job().ttl) return false;
  const platform::Timestamp end = FinishedAt(builder.Status()) + *builder.Job().ttl;
  if (builder.Now() < end) {
    builder.RequeueAt(end);
    return false;
  }
  // Dependents would wait for ever. Their next status brings this job back into the queue.
  if (builder.snapshot().has_waiting_dependents) return false;
  builder.AddAction(DeleteJob{});
  return true;
}

void EndWorkers(PlanBuilder& builder, bool failed) {
  const platform::Timestamp patience = FinishedAt(builder.Status()) + kGrace;
  for (const cluster::PodView* pod : builder.Workers()) {
    if (pod->Ended() && !pod->lingers) continue;
    const bool idle = pod->phase == cluster::PodPhase::kPending || pod->lingers;
    if (failed || idle || builder.Now() >= patience) {
      builder.Delete(*pod);
    } else {
      builder.RequeueAt(patience);
    }
  }
}

/// A job that failed by its deadline still runs: what it has done so far is kept.
void StopCoordinator(PlanBuilder& builder) {
  const cluster::PodView* pod = builder.Coordinator();
  if (pod == nullptr || pod->deleted || pod->Ended()) return;
  // One that refused the job, or that never got to run, has nothing to serve.
  if (!builder.CoordinatorAnswers() && (RefusedItsJob(*pod) || !pod->has_run)) {
    builder.Delete(*pod);
    return;
  }
  const cluster::Progress* report = builder.Report();
  const bool runs = report != nullptr && (report->state == cluster::CoordinatorState::kRunning ||
                                          report->state == cluster::CoordinatorState::kBlocked);
  if (!runs || builder.Now() >= FinishedAt(builder.Status()) + kGrace) return;
  builder.SetDesiredCoordinator({pod->uid, true, false});
  builder.RequeueAfter(std::chrono::seconds(2));
}

}  // namespace

platform::Timestamp FinishedAt(const cluster::JobStatus& status) {
  for (const auto& type : {cluster::condition_type::kComplete, cluster::condition_type::kFailed}) {
    const cluster::Condition* found = cluster::Find(status.conditions, type);
    if (found != nullptr && found->status == cluster::Condition::Status::kTrue) {
      return found->last_transition;
    }
  }
  return {};
}

void FinishUp(PlanBuilder& builder) {
  if (DeleteAtEndOfLife(builder)) return;
  const bool failed =
      cluster::IsTrue(builder.Status().conditions, cluster::condition_type::kFailed);
  EndWorkers(builder, failed);
  if (failed) StopCoordinator(builder);
  for (const cluster::PodView* pod : builder.OlderCoordinators()) builder.Delete(*pod);
}

}  // namespace evenkeel::plan
