#include "core/model/task_policy_parsing.h"

#include <string>

#include "core/model/field_values.h"

namespace evenkeel::model {
namespace {

using Action = ExitCodeRule::Action;

constexpr double kMaxTimeoutSeconds = 31'536'000;  // a year
constexpr std::int64_t kMaxFailedTasks = 1'000'000'000'000;
constexpr std::size_t kMaxIndexesBytes = 64 * 1024;

Action ActionOf(const std::string& text) {
  if (text == "FailJob") return Action::kFailJob;
  if (text == "FailTask") return Action::kFailTask;
  return text == "Ignore" ? Action::kIgnore : Action::kCount;
}

void ReadRules(FieldReader& fields, TaskPolicy& policy) {
  for (FieldReader& rule : fields.Objects("onExitCodes", 20)) {
    ExitCodeRule read;
    read.action =
        ActionOf(rule.RequiredChoice("action", {"FailJob", "FailTask", "Ignore", "Count"}));
    read.in = rule.OptionalChoice("operator", {"In", "NotIn"}, "In") == "In";
    for (const std::int64_t code : rule.Ints("values", 255, {0, 255})) {
      read.codes.push_back(static_cast<std::int32_t>(code));
    }
    if (read.codes.empty()) rule.Fail("values", "must be a list of at least 1 exit code");
    policy.on_exit_codes.push_back(std::move(read));
  }
}

void ReadSuccess(FieldReader fields, SuccessPolicy& success) {
  const std::string text = fields.OptionalString("succeededIndexes", kMaxIndexesBytes, "");
  if (!text.empty()) {
    success.succeeded_indexes = ParseIndexString(text);
    if (!success.succeeded_indexes) {
      fields.Fail("succeededIndexes",
                  "must be indexes and ranges of them such as 0-4,7, is " + Shown(text));
    }
  }
  if (fields.Has("succeededCount")) {
    success.succeeded_count = fields.RequiredInt("succeededCount", {1, INT64_MAX});
  }
  fields.Any("succeededCount");
  if (!success.succeeded_indexes || !success.succeeded_count) return;
  const std::int64_t listed = success.succeeded_indexes->Size();
  if (*success.succeeded_count > listed) {
    fields.Fail("succeededCount", "must be at most " + std::to_string(listed) +
                                      ", the number of succeededIndexes, is " +
                                      std::to_string(*success.succeeded_count));
  }
}

}  // namespace

void ReadTaskPolicy(FieldReader fields, TaskPolicy& policy) {
  policy.backoff_limit_per_task = static_cast<std::int32_t>(
      fields.OptionalInt("backoffLimitPerTask", {0, 1000}, policy.backoff_limit_per_task));
  policy.max_failed_tasks = fields.OptionalInt("maxFailedTasks", {0, kMaxFailedTasks}, 0);
  policy.timeout = FromSeconds(fields.OptionalNumber(
      "timeoutSeconds", {0, kMaxTimeoutSeconds, true}, ToSeconds(policy.timeout)));
  policy.idempotent = fields.OptionalBool("idempotent", policy.idempotent);
  ReadRules(fields, policy);
  ReadSuccess(fields.OptionalObject("successPolicy"), policy.success);
}

}  // namespace evenkeel::model
