#include "operator/plan/finishing.h"

#include "operator/plan/pod_trouble.h"

namespace evenkeel::plan {
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
