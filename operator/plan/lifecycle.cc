#include "operator/plan/lifecycle.h"

#include <algorithm>
#include <utility>

#include "core/model/run_record.h"
#include "operator/plan/coordinator_health.h"
#include "operator/plan/pod_diagnosis.h"

namespace evenkeel::plan {
namespace {

void Fail(Draft& draft, std::string reason, std::string message) {
  draft.SetCondition(api::condition_type::kFailed, true, std::move(reason), std::move(message));
}

void Complete(Draft& draft, const api::Progress& report) {
  draft.Status().completion_time = api::WholeSeconds(draft.Now());
  if (report.reason == model::kSuccessPolicyMet) {
    draft.SetCondition(api::condition_type::kComplete, true, model::kSuccessPolicyMet,
                       "as many tasks succeeded as spec.taskPolicy.successPolicy asks for");
  } else {
    draft.SetCondition(api::condition_type::kComplete, true, "AllTasksDone",
                       "all results are durable");
  }
}

/// The coordinator fails a job for too many failed tasks, by another rule of its task policy, or
/// because it cannot go on at all.
void FailAsReported(Draft& draft, const api::Progress& report) {
  const bool tasks = report.tasks.failed > draft.Job().spec.task_policy.max_failed_tasks ||
                     report.reason.find("spec.taskPolicy.") != std::string::npos;
  std::string message = report.reason.empty() ? "the coordinator says so" : report.reason;
  if (report.reason.find("deadline") != std::string::npos) {
    Fail(draft, "DeadlineExceeded", std::move(message));
  } else {
    Fail(draft, tasks ? "TasksFailed" : "CoordinatorFailed", std::move(message));
  }
}

bool EndByReport(Draft& draft) {
  const api::Progress* report = draft.Report();
  if (report == nullptr) return false;
  if (report->state == api::CoordinatorState::kComplete) Complete(draft, *report);
  if (report->state == api::CoordinatorState::kFailed) FailAsReported(draft, *report);
  return draft.Finished();
}

bool EndByRefusal(Draft& draft) {
  const api::PodView* coordinator = draft.Coordinator();
  if (coordinator == nullptr || draft.CoordinatorAnswers() || !RefusedItsJob(*coordinator)) {
    return false;
  }
  const std::string& words = coordinator->termination->message;
  Fail(draft, "InvalidSpec", words.empty() ? "the coordinator refused the job" : words);
  return true;
}

void EndByDeadline(Draft& draft) {
  const auto& deadline = draft.Job().spec.active_deadline;
  const auto& started = draft.Status().start_time;
  if (!deadline || !started || draft.Job().suspend) return;
  if (draft.Now() < *started + *deadline) {
    draft.LookAgainAt(*started + *deadline);
    return;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*deadline).count();
  Fail(draft, "DeadlineExceeded",
       "spec.activeDeadlineSeconds: the job has been active for " + std::to_string(seconds) + " s");
}

}  // namespace

void EndIfOver(Draft& draft) {
  if (!draft.Job().invalid.empty()) {
    Fail(draft, "InvalidSpec", draft.Job().invalid);
    return;
  }
  if (!draft.Job().too_large.empty() && !draft.Seen().plan) {
    Fail(draft, "InvalidSpec", draft.Job().too_large);
    return;
  }
  if (EndByReport(draft) || EndByRefusal(draft)) return;
  EndByDeadline(draft);
}

namespace {

constexpr Duration kSoon = std::chrono::seconds(1);
/// A coordinator that has said nothing for so long cannot be asked to drain. The poller asks every
/// few seconds.
constexpr Duration kSilenceWhileSuspending = std::chrono::seconds(30);

const std::string kResumed = "Resumed";

void Say(Draft& draft, std::string reason, std::string message) {
  draft.SetCondition(api::condition_type::kSuspended, false, std::move(reason), std::move(message));
  draft.LookAgainAfter(kSoon);
}

/// Its kubelet will never report that the pod's end is through.
bool OnLostNode(const Draft& draft, const api::PodView& pod) {
  if (pod.node.empty()) return false;
  const api::NodeView* node = draft.Node(pod.node);
  return node == nullptr || !node->ready;
}

void DeleteAllPods(Draft& draft) {
  for (const api::PodView* pod : draft.Pods()) draft.Delete(*pod);
}

bool AnyPodLeft(const Draft& draft) {
  const auto pods = draft.Pods();
  return std::any_of(pods.begin(), pods.end(), [&draft](const api::PodView* pod) {
    return !pod->deleted || !OnLostNode(draft, *pod);
  });
}

bool KeptFresh(const Draft& draft, const api::PodView& coordinator) {
  const auto& kept = draft.Seen().kept;
  return kept && kept->attempt == coordinator.attempt;
}

void RefuseSuspension(Draft& draft, const api::Condition* known) {
  std::string message = "what is to be kept is larger than 512 KiB";
  if (known != nullptr && known->reason == reason::kSnapshotTooLarge) {
    message = known->message;
  } else if (draft.Seen().snapshot_refusal) {
    message = *draft.Seen().snapshot_refusal + "; the job goes on, as it has no resultStorage";
  }
  draft.SetCondition(api::condition_type::kSuspended, false, reason::kSnapshotTooLarge,
                     std::move(message));
}

/// There is a coordinator that works, or did.
void DrainAndDelete(Draft& draft, const api::PodView& pod) {
  if (!pod.has_run) {
    DeleteAllPods(draft);  // there is nothing to keep yet
    return Say(draft, reason::kSuspending, "pods are being deleted");
  }
  const api::Progress* report = draft.FreshReport(kSilenceWhileSuspending);
  if (report != nullptr && report->state == api::CoordinatorState::kInterrupted) {
    if (draft.HasClaim() || KeptFresh(draft, pod)) {
      DeleteAllPods(draft);
      return Say(draft, reason::kSuspending, "the coordinator has drained, pods are being deleted");
    }
    draft.Act(TakeSnapshot{pod.name, pod.attempt});
    return Say(draft, reason::kSuspending,
               "the coordinator has drained, its journal is being kept");
  }
  const bool silent = report == nullptr && draft.Report() != nullptr;
  const bool answers = draft.CoordinatorAnswers();
  if (draft.HasClaim() && (!answers || silent)) {
    DeleteAllPods(draft);  // what is durable is on the claim
    return Say(draft, reason::kSuspending, "pods are being deleted");
  }
  if (!answers) {
    return Say(draft, "CoordinatorUnreachable",
               "pod " + pod.name + " is not ready; what it has done cannot be kept yet");
  }
  draft.Act(SuspendCoordinator{pod.name});
  Say(draft, reason::kSuspending, "the coordinator drains");
}

}  // namespace

bool SuspensionRefused(const Draft& draft) {
  if (draft.HasClaim()) return false;
  if (draft.Seen().snapshot_refusal) return true;
  const api::Condition* known =
      api::Find(draft.Status().conditions, api::condition_type::kSuspended);
  return known != nullptr && known->reason == reason::kSnapshotTooLarge &&
         known->observed_generation == draft.Job().meta.generation;
}

void Suspend(Draft& draft) {
  const auto& plan = draft.Seen().plan;
  const CoordinatorFate fate =
      JudgeCoordinator(draft, plan ? plan->first_attempt : 1, plan ? plan->attempt_seen : 0);
  if (fate.kind == FateKind::kAlive) return DrainAndDelete(draft, *fate.pod);
  if (fate.kind == FateKind::kShaky && !draft.HasClaim()) {
    return Say(draft, "CoordinatorUnreachable",
               "pod " + fate.pod->name + " " + fate.why + "; what it has done cannot be kept yet");
  }
  DeleteAllPods(draft);
  if (AnyPodLeft(draft)) return Say(draft, reason::kSuspending, "pods are being deleted");
  draft.SetCondition(api::condition_type::kSuspended, true, "Suspended",
                     !plan              ? "nothing has been started yet"
                     : draft.HasClaim() ? "the progress is on the claim"
                                        : "the progress is kept");
  draft.Status().start_time.reset();  // as in batch/v1: the deadline counts from the resumption
}

bool UndoSuspension(Draft& draft) {
  const api::Condition* known =
      api::Find(draft.Status().conditions, api::condition_type::kSuspended);
  const bool begun = known != nullptr && known->reason != kResumed;
  const api::PodView* pod = draft.Coordinator();
  const api::Progress* report = draft.FreshReport(kSilenceWhileSuspending);
  const bool drained =
      report != nullptr && !pod->deleted && report->state == api::CoordinatorState::kInterrupted;
  if (draft.Job().suspend) {
    RefuseSuspension(draft, known);
  } else if (begun && !drained) {
    draft.SetCondition(api::condition_type::kSuspended, false, kResumed, "spec.suspend is false");
  }
  if (!drained) return false;
  if (begun && (draft.HasClaim() || KeptFresh(draft, *pod))) {
    draft.Delete(*pod);
    return true;
  }
  draft.Act(ResumeCoordinator{pod->name});
  draft.LookAgainAfter(kSoon);
  return false;
}

namespace {

/// How long workers have to end by themselves, and a coordinator to drain.
constexpr Duration kGrace = std::chrono::seconds(30);

bool DeleteAtEndOfLife(Draft& draft) {
  if (!draft.Job().ttl) return false;
  const api::Timestamp end = FinishedAt(draft.Status()) + *draft.Job().ttl;
  if (draft.Now() < end) {
    draft.LookAgainAt(end);
    return false;
  }
  draft.Act(DeleteJob{});
  return true;
}

void EndWorkers(Draft& draft, bool failed) {
  const api::Timestamp patience = FinishedAt(draft.Status()) + kGrace;
  for (const api::PodView* pod : draft.Workers()) {
    if (pod->Ended() && !pod->lingers) continue;
    const bool idle = pod->phase == api::PodPhase::kPending || pod->lingers;
    if (failed || idle || draft.Now() >= patience) {
      draft.Delete(*pod);
    } else {
      draft.LookAgainAt(patience);
    }
  }
}

/// A job that failed by its deadline still runs: what it has done so far is kept.
void StopCoordinator(Draft& draft) {
  const api::PodView* pod = draft.Coordinator();
  if (pod == nullptr || pod->deleted || pod->Ended()) return;
  // One that refused the job, or that never got to run, has nothing to serve.
  if (!draft.CoordinatorAnswers() && (RefusedItsJob(*pod) || !pod->has_run)) {
    draft.Delete(*pod);
    return;
  }
  const api::Progress* report = draft.Report();
  const bool runs = report != nullptr && (report->state == api::CoordinatorState::kRunning ||
                                          report->state == api::CoordinatorState::kBlocked);
  if (!runs || draft.Now() >= FinishedAt(draft.Status()) + kGrace) return;
  draft.Act(SuspendCoordinator{pod->name});
  draft.LookAgainAfter(std::chrono::seconds(2));
}

}  // namespace

api::Timestamp FinishedAt(const api::JobStatus& status) {
  for (const auto& type : {api::condition_type::kComplete, api::condition_type::kFailed}) {
    const api::Condition* found = api::Find(status.conditions, type);
    if (found != nullptr && found->status == api::Condition::Status::kTrue) {
      return found->last_transition;
    }
  }
  return {};
}

void FinishUp(Draft& draft) {
  if (DeleteAtEndOfLife(draft)) return;
  const bool failed = api::IsTrue(draft.Status().conditions, api::condition_type::kFailed);
  EndWorkers(draft, failed);
  if (failed) StopCoordinator(draft);
  for (const api::PodView* pod : draft.OlderCoordinators()) draft.Delete(*pod);
}

}  // namespace evenkeel::plan
