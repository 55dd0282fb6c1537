#include "operator/plan/status_rules.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace evenkeel::plan {
namespace {

constexpr Duration kInterval = std::chrono::seconds(10);
constexpr int kStepPercent = 5;

int PercentOf(const std::string& progress) {
  int percent = 0;
  const auto read = std::from_chars(progress.data(), progress.data() + progress.size(), percent);
  return read.ec == std::errc{} ? percent : 0;
}

}  // namespace

bool ConditionsDiffer(const api::Conditions& known, const api::Conditions& next) {
  return std::any_of(next.begin(), next.end(), [&known](const api::Condition& one) {
    const api::Condition* before = api::Find(known, one.type);
    return before == nullptr || before->status != one.status || before->reason != one.reason;
  });
}

WriteRule JudgeWrite(const api::JobStatus& known, const api::JobStatus& next, api::Timestamp now,
                     const std::optional<api::Timestamp>& last_write) {
  if (known == next) return {};
  if (known.observed_generation != next.observed_generation ||
      ConditionsDiffer(known.conditions, next.conditions)) {
    return {.write = true, .urgent = true};
  }
  const int step = std::abs(PercentOf(next.progress) - PercentOf(known.progress));
  const bool due = !last_write || now >= *last_write + kInterval || now < *last_write;
  if (due || step >= kStepPercent) return {.write = true};
  return {.due = *last_write + kInterval - now};
}

}  // namespace evenkeel::plan
