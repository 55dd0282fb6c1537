#include "operator/plan/suspension.h"

#include <algorithm>
#include <utility>

#include "operator/plan/coordinator_fate.h"

namespace evenkeel::plan {
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

}  // namespace evenkeel::plan
