#include "core/model/task_policy.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

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

std::optional<std::int64_t> ParsePercentage(std::string_view text) {
  constexpr std::size_t kMaxDecimals = 3;
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  const std::string_view whole = text.substr(0, text.find('.'));
  std::string_view decimals;
  if (whole.size() < text.size()) {
    decimals = text.substr(whole.size() + 1);
    if (decimals.empty() || decimals.size() > kMaxDecimals) return std::nullopt;
  }
  if (whole.empty() || whole.size() > 3) return std::nullopt;
  std::string digits = std::string(whole) + std::string(decimals);
  digits.append(kMaxDecimals - decimals.size(), '0');
  std::int64_t share = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), share);
  const bool all_digits = std::all_of(digits.begin(), digits.end(),
                                      [](char digit) { return '0' <= digit && digit <= '9'; });
  if (!all_digits || error != std::errc() || share > kWholeJob) return std::nullopt;
  return share;
}

Result<void> CheckVerifiedShare(const TaskPolicy& policy, std::int64_t tasks) {
  // Without overflow: a share of a job with more than 10^12 tasks does not exist.
  const std::int64_t verified = tasks / kWholeJob * policy.verified_share +
                                tasks % kWholeJob * policy.verified_share / kWholeJob;
  if (verified <= kMaxVerifiedTasks) return {};
  return InvalidInput("spec.taskPolicy.verify: must draw at most " +
                      std::to_string(kMaxVerifiedTasks) + " tasks, draws " +
                      std::to_string(verified) + " of " + std::to_string(tasks));
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
