#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/model/range_set.h"

namespace evenkeel::model {

/// spec.taskPolicy.onExitCodes[]: what is done about a command that ended with certain exit codes.
struct ExitCodeRule {
  enum class Action {
    kFailJob,   ///< the whole job fails at once
    kFailTask,  ///< the task is given up at once
    kIgnore,    ///< it is tried again without charging its retries
    kCount,     ///< it is tried again as long as it has retries
  };
  Action action = Action::kCount;
  bool in = true;                   ///< fits the codes in `codes`; false: all others
  std::vector<std::int32_t> codes;  ///< 0..255
  [[nodiscard]] bool Fits(std::int32_t code) const;
};

/// spec.taskPolicy.successPolicy: when the job is complete although not all tasks have run.
/// Both given: so many of these. Neither: there is no policy.
struct SuccessPolicy {
  std::optional<RangeSet> succeeded_indexes;
  std::optional<std::int64_t> succeeded_count;
  [[nodiscard]] bool Any() const { return succeeded_indexes || succeeded_count; }
};

/// spec.taskPolicy
struct TaskPolicy {
  std::int32_t backoff_limit_per_task = 3;  ///< retries of one task; losing a node does not count
  std::int64_t max_failed_tasks = 0;  ///< the job fails when more tasks than these failed for good
  Duration timeout = std::chrono::seconds(3600);  ///< of one task
  bool idempotent = true;                         ///< may a task run twice at the same time?
  std::vector<ExitCodeRule> on_exit_codes;        ///< the first that fits counts
  SuccessPolicy success;

  /// What is done about a failure with this exit code; kCount if no rule fits or there is none.
  [[nodiscard]] ExitCodeRule::Action ActionOn(std::optional<std::int32_t> exit_code) const;
};

/// Whether a job of so many tasks can meet its success policy; kInvalidInput names the field.
[[nodiscard]] Result<void> CheckSuccessPolicy(const SuccessPolicy& policy, std::int64_t tasks);

}  // namespace evenkeel::model
