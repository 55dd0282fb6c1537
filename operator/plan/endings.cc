#include "operator/plan/endings.h"

#include <utility>

#include "core/model/run_record.h"
#include "operator/plan/pod_trouble.h"

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

}  // namespace evenkeel::plan
