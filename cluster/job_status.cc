#include "cluster/job_status.h"

#include <algorithm>
#include <utility>

namespace evenkeel::cluster {

const Condition* Find(const Conditions& conditions, const std::string& type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&type](const Condition& one) { return one.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool IsTrue(const Conditions& conditions, const std::string& type) {
  const Condition* found = Find(conditions, type);
  return found != nullptr && found->status == Condition::Status::kTrue;
}

void Set(Conditions& conditions, Condition condition) {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [&condition](const Condition& one) { return one.type == condition.type; });
  if (found == conditions.end()) {
    conditions.push_back(std::move(condition));
    return;
  }
  if (found->status == condition.status) condition.last_transition = found->last_transition;
  *found = std::move(condition);
}

std::string ToString(Condition::Status status) {
  if (status == Condition::Status::kTrue) return "True";
  return status == Condition::Status::kFalse ? "False" : "Unknown";
}

std::string JobState(const std::function<bool(const std::string& type)>& is_true) {
  for (const std::string& type : {condition_type::kComplete, condition_type::kFailed,
                                  condition_type::kSuspended, condition_type::kProgressing}) {
    if (is_true(type)) return type;
  }
  return "Pending";
}

}  // namespace evenkeel::cluster
