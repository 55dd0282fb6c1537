#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "core/model/range_set.h"
#include "core/model/run_record.h"
#include "core/model/task_policy.h"

namespace evenkeel::engine {

/// "task 3 on pi4-a: exit code 1". `reason` may contain any bytes, and is cut to 200.
[[nodiscard]] std::string QuoteFailedAttempt(model::TaskIndex index, const std::string& node,
                                             std::string_view reason);

/// When a job is over, by what is durable: all tasks, its success rule, too many failed tasks, an
/// exit code that fails the job, or an interrupt after which running tasks may still report.
/// Results that are not durable yet count for nothing. Not thread-safe.
class CompletionPolicy {
 public:
  /// Results and final failures that have become durable together.
  struct Batch {
    std::int64_t completed = 0;  ///< tasks
    std::int64_t wanted = 0;     ///< those of them that the success rule asks for
    std::int64_t failed = 0;     ///< tasks that failed for good
    std::string fails_job{};     ///< why, if one of the failures fails the job
  };
  /// How a job ends.
  struct Verdict {
    model::JobState state;
    std::string reason;  ///< one line; empty if complete by all of its tasks
    model::EndCause cause = model::EndCause::kOther;
  };

  CompletionPolicy(const model::TaskPolicy& policy, std::int64_t tasks);

  /// The job has more tasks.
  void Append(model::IndexRange range);
  void AddDurable(const Batch& batch);
  /// Durable results do not count any more. Not to be called once EndsEarly().
  void Revoke(model::IndexRange range);
  /// Number of tasks of the range that the success rule asks for.
  [[nodiscard]] std::int64_t WantedWithin(model::IndexRange range) const;

  /// A task failed for good on that node; `reason` may contain any bytes. The first one is the
  /// example that the job's reason quotes.
  void QuoteFailure(model::TaskIndex index, const std::string& node, std::string_view reason);

  /// Reasons to wait with a verdict.
  struct Pending {
    bool commits = false;  ///< results are about to be durable
    bool checks = false;   ///< results are to be verified: the job cannot complete yet
  };
  /// The verdict as things stand, if there is one. `failed`: the tasks that failed for good.
  [[nodiscard]] std::optional<Verdict> Judge(const Pending& pending, const model::RangeSet& failed);
  /// The success rule is met: only results that are about to be durable are waited for.
  [[nodiscard]] bool EndsEarly() const { return ends_early_; }

  /// Stop in good order until `deadline`: nothing new is started.
  void Drain(const std::string& reason, Instant deadline);
  [[nodiscard]] bool Draining() const { return drain_deadline_.has_value(); }
  /// kNever unless draining.
  [[nodiscard]] Instant DrainDeadline() const { return drain_deadline_.value_or(kNever); }
  [[nodiscard]] const std::string& DrainReason() const { return drain_reason_; }

  [[nodiscard]] std::int64_t DurableTasks() const { return durable_; }
  /// Stops the process if the state contradicts itself.
  void CheckInvariants() const;

 private:
  [[nodiscard]] std::int64_t WantedCount() const;
  [[nodiscard]] bool SuccessRuleMet() const;

  model::TaskPolicy policy_;
  std::int64_t tasks_;
  model::RangeSet wanted_;  // by the success rule: all tasks unless it names some
  std::int64_t durable_ = 0;
  std::int64_t durable_wanted_ = 0;
  std::int64_t durable_failed_ = 0;
  std::string fails_job_;
  std::string example_;  // "task 3 on pi4-a: exit code 1"
  bool ends_early_ = false;
  std::optional<Instant> drain_deadline_;
  std::string drain_reason_;
};

}  // namespace evenkeel::engine
