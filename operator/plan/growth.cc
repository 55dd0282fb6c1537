#include "operator/plan/growth.h"

#include <string>

#include "core/base/digest.h"

namespace evenkeel::plan {
namespace {

/// A kubelet that was told a moment before it knew of the new plan is told once more.
constexpr Duration kBetweenRefreshes = std::chrono::seconds(10);

const std::string kNotRun =
    "; tasks that were appended later are not run: a job that is over does not start again, make a "
    "new one for them";

/// The coordinator has said what it works by, and it is not what the job has now.
bool WorksByAnother(const Draft& draft) {
  const api::Progress* report = draft.Report();
  return report != nullptr && !report->workload_digest.empty() &&
         report->workload_digest != DigestOf(draft.Job().spec.workload_parameters);
}

bool PlanIsOlder(const Draft& draft) {
  const auto& plan = draft.Seen().plan;
  return plan && plan->workload != draft.Job().workload;
}

}  // namespace

void HandOverTasks(Draft& draft) {
  if (!WorksByAnother(draft) || PlanIsOlder(draft)) return;
  const auto state = draft.Report()->state;
  if (state != api::CoordinatorState::kRunning && state != api::CoordinatorState::kBlocked) return;
  const auto period = std::chrono::duration_cast<std::chrono::seconds>(kBetweenRefreshes);
  const auto since_epoch = draft.Now().time_since_epoch();
  const api::PodView& pod = *draft.Coordinator();
  draft.Act(RefreshCoordinator{pod.name, pod.uid, since_epoch / period});
  draft.LookAgainAfter(kBetweenRefreshes);
}

void SayWhatIsNotRun(Draft& draft) {
  if (!draft.Job().invalid.empty() || (!WorksByAnother(draft) && !PlanIsOlder(draft))) return;
  for (const auto& type : {api::condition_type::kComplete, api::condition_type::kFailed}) {
    const api::Condition* found = api::Find(draft.Status().conditions, type);
    if (found == nullptr || found->status != api::Condition::Status::kTrue) continue;
    if (found->message.ends_with(kNotRun)) return;
    const api::Condition said = *found;
    draft.SetCondition(type, true, said.reason, OneLine(said.message, 600) + kNotRun);
    draft.Tell({true, "TasksNotRun", kNotRun.substr(2)});
  }
}

}  // namespace evenkeel::plan
