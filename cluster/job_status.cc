#include "cluster/job_status.h"

#include <algorithm>
#include <array>
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

bool IsOver(const Conditions& conditions) {
  return IsTrue(conditions, condition_type::kComplete) ||
         IsTrue(conditions, condition_type::kFailed);
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

namespace {

const std::string kPending = "Pending";

/// In order: the first that is true is the phase.
const std::array<std::string, 4> kPhases{condition_type::kComplete, condition_type::kFailed,
                                         condition_type::kSuspended, condition_type::kProgressing};

}  // namespace

std::string JobState(const FindCondition& find) {
  for (const std::string& type : kPhases) {
    const auto condition = find(type);
    if (condition && condition->first == "True") return type;
  }
  const auto progressing = find(condition_type::kProgressing);
  return progressing && !progressing->second.empty() ? progressing->second : kPending;
}

std::string PhaseOf(const Conditions& conditions) {
  const auto phase = std::find_if(kPhases.begin(), kPhases.end(), [&](const std::string& type) {
    return IsTrue(conditions, type);
  });
  return phase == kPhases.end() ? kPending : *phase;
}

}  // namespace evenkeel::cluster
