#include "operator/plan/make_plan.h"

#include "operator/plan/draft.h"
#include "operator/plan/endings.h"
#include "operator/plan/events.h"
#include "operator/plan/finishing.h"
#include "operator/plan/growth.h"
#include "operator/plan/progressing.h"
#include "operator/plan/run.h"
#include "operator/plan/status_report.h"
#include "operator/plan/status_rules.h"
#include "operator/plan/suspension.h"

namespace evenkeel::plan {
namespace {

/// A job that is not over yet.
void Advance(Draft& draft) {
  EndIfOver(draft);
  if (draft.Finished()) return;
  if (draft.Job().suspend && !SuspensionRefused(draft)) {
    Suspend(draft);
    SayItRests(draft);
  } else {
    Run(draft);
  }
}

/// The one condition that holds, for people who look at a table of jobs.
std::string StateOf(const api::Conditions& conditions) {
  for (const auto& type : {api::condition_type::kComplete, api::condition_type::kFailed,
                           api::condition_type::kSuspended, api::condition_type::kProgressing}) {
    if (api::IsTrue(conditions, type)) return type;
  }
  return "Pending";
}

/// Figures of a job that was over before stay as they are.
void CompleteStatus(Draft& draft, bool was_over) {
  if (draft.Finished()) {
    SayWhatIsNotRun(draft);
    SayItRests(draft);
  }
  if (!was_over) ReportFigures(draft);
  api::JobStatus& status = draft.Status();
  status.observed_generation = draft.Job().meta.generation;
  for (api::Condition& one : status.conditions) {
    one.observed_generation = status.observed_generation;
  }
  status.state = StateOf(status.conditions);
}

void WriteStatus(Draft& draft) {
  const WriteRule rule = JudgeWrite(draft.Seen().job.status, draft.Status(), draft.Now(),
                                    draft.Seen().last_status_write);
  if (rule.due) draft.LookAgainAfter(*rule.due);
  if (!rule.write) return;
  TellOfConditions(draft);
  draft.Result().status = draft.Status();
  draft.Result().status_is_urgent = rule.urgent;
}

}  // namespace

Plan MakePlan(const Snapshot& snapshot) {
  // Its objects are its own and go with it.
  if (snapshot.job.meta.deleted) return {};
  Draft draft(snapshot);
  const bool was_over = draft.Finished();
  if (!was_over) Advance(draft);
  if (draft.Finished()) FinishUp(draft);
  CompleteStatus(draft, was_over);
  WriteStatus(draft);
  return std::move(draft.Result());
}

}  // namespace evenkeel::plan
