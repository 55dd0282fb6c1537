#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/model/range_set.h"

namespace evenkeel::model {

/// spec.taskPolicy.onExitCodes[]: the reaction to certain exit codes of a command.
struct ExitCodeRule {
  enum class Action {
    kFailJob,   ///< the whole job fails at once
    kFailTask,  ///< the task fails for good at once
    kIgnore,    ///< the task is retried without counting the failure
    kCount,     ///< the task is retried while it has retries left
  };
  Action action = Action::kCount;
  bool in = true;                   ///< matches the codes in `codes`; false: all others
  std::vector<std::int32_t> codes;  ///< 0..255
  [[nodiscard]] bool Fits(std::int32_t code) const;
};

/// spec.taskPolicy.successPolicy: completes the job before all tasks have run. If both are set,
/// that many of these indexes must succeed. If neither is set, there is no policy.
struct SuccessPolicy {
  std::optional<RangeSet> succeeded_indexes;
  std::optional<std::int64_t> succeeded_count;
  [[nodiscard]] bool Any() const { return succeeded_indexes || succeeded_count; }
};

/// All tasks, as TaskPolicy::verified_share.
inline constexpr std::int64_t kWholeJob = 100'000;
/// Maximum number of tasks that are verified.
inline constexpr std::int64_t kMaxVerifiedTasks = 100'000;

/// spec.taskPolicy
struct TaskPolicy {
  std::int32_t backoff_limit_per_task = 3;  ///< retries of one task; lost nodes do not count
  std::int64_t max_failed_tasks = 0;        ///< the job fails if more tasks than this fail for good
  Duration timeout = std::chrono::seconds(3600);  ///< of one task
  bool idempotent = true;                         ///< a task may run twice at the same time
  std::vector<ExitCodeRule> on_exit_codes;        ///< the first match counts
  /// Share of the tasks whose results are verified on a second node, in parts of kWholeJob.
  std::int64_t verified_share = 0;
  SuccessPolicy success;

  /// The reaction to a failure; kCount if there is no exit code or no rule matches.
  [[nodiscard]] ExitCodeRule::Action ActionOn(std::optional<std::int32_t> exit_code) const;
};

/// Reads a percentage such as "1%" or "0.25%", with at most three decimals, in parts of kWholeJob;
/// nothing if the text is none.
[[nodiscard]] std::optional<std::int64_t> ParsePercentage(std::string_view text);

/// Checks that `tasks` times `policy.verified_share` is at most kMaxVerifiedTasks; kInvalidInput
/// names the field.
[[nodiscard]] Result<void> CheckVerifiedShare(const TaskPolicy& policy, std::int64_t tasks);

/// Checks that a job with `tasks` tasks can meet the policy; kInvalidInput names the field.
[[nodiscard]] Result<void> CheckSuccessPolicy(const SuccessPolicy& policy, std::int64_t tasks);

}  // namespace evenkeel::model
