#include "operator/plan/events.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace evenkeel::plan {
namespace {

/// Reasons of conditions that are no trouble although the condition is False.
constexpr std::array<std::string_view, 6> kHarmless{"Suspending",   "Suspended", "Resumed",
                                                    "AllTasksDone", "Starting",  "Running"};

bool IsHarmless(const std::string& reason) {
  for (const std::string_view one : kHarmless) {
    if (reason == one) return true;
  }
  return false;
}

std::ptrdiff_t CountReason(const api::Conditions& conditions, const std::string& reason) {
  return std::count_if(conditions.begin(), conditions.end(),
                       [&reason](const auto& one) { return one.reason == reason; });
}

bool IsWarning(const api::Condition& condition) {
  if (condition.type == api::condition_type::kFailed || condition.reason == "StartedAgain") {
    return true;
  }
  return condition.status == api::Condition::Status::kFalse && !IsHarmless(condition.reason);
}

}  // namespace

void TellOfConditions(Draft& draft) {
  const api::Conditions& known = draft.Seen().job.status.conditions;
  for (const api::Condition& one : draft.Status().conditions) {
    const api::Condition* before = api::Find(known, one.type);
    const bool same =
        before != nullptr && before->status == one.status && before->reason == one.reason;
    // What has ended a job or suspended it is told by that condition, not twice.
    // How weights came about is no news, unless something is wrong.
    const bool usual =
        one.type == api::condition_type::kWeightsMeasured &&
        (one.status == api::Condition::Status::kTrue || one.reason == reason::kNoHistory);
    const bool echo = one.type == api::condition_type::kProgressing &&
                      CountReason(draft.Status().conditions, one.reason) > 1;
    if (!same && !echo && !usual) draft.Tell({IsWarning(one), one.reason, one.message, true});
  }
}

}  // namespace evenkeel::plan
