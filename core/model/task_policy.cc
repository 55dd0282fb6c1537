#include "core/model/task_policy.h"

#include <algorithm>
#include <string>

namespace evenkeel::model {

bool ExitCodeRule::Fits(std::int32_t code) const {
  return (std::find(codes.begin(), codes.end(), code) != codes.end()) == in;
}

ExitCodeRule::Action TaskPolicy::ActionOn(std::optional<std::int32_t> exit_code) const {
  if (!exit_code) return ExitCodeRule::Action::kCount;
  const auto rule = std::find_if(on_exit_codes.begin(), on_exit_codes.end(),
                                 [&](const ExitCodeRule& each) { return each.Fits(*exit_code); });
  return rule == on_exit_codes.end() ? ExitCodeRule::Action::kCount : rule->action;
}

Result<void> CheckSuccessPolicy(const SuccessPolicy& policy, std::int64_t tasks) {
  const std::string path = "spec.taskPolicy.successPolicy.";
  const std::string job = "the job has " + std::to_string(tasks) + " tasks";
  if (policy.succeeded_indexes && policy.succeeded_indexes->Back().end > tasks) {
    return InvalidInput(path + "succeededIndexes: must be below " + std::to_string(tasks) +
                        ", is " + std::to_string(policy.succeeded_indexes->Back().end - 1) + " (" +
                        job + ")");
  }
  if (policy.succeeded_count && *policy.succeeded_count > tasks) {
    return InvalidInput(path + "succeededCount: must be at most " + std::to_string(tasks) +
                        ", is " + std::to_string(*policy.succeeded_count) + " (" + job + ")");
  }
  return {};
}

}  // namespace evenkeel::model
