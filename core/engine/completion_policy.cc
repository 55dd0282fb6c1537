#include "core/engine/completion_policy.h"

#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/engine/progress.h"

namespace evenkeel::engine {

using model::EndCause;
using model::IndexRange;
using model::JobState;

namespace {

constexpr std::size_t kMaxReasonBytes = 200;

}  // namespace

std::string QuoteFailedAttempt(model::TaskIndex index, const std::string& node,
                               std::string_view reason) {
  return "task " + std::to_string(index) + " on " + node + ": " +
         PrintableAscii(reason, kMaxReasonBytes);
}

CompletionPolicy::CompletionPolicy(const model::TaskPolicy& policy, std::int64_t tasks)
    : policy_(policy),
      tasks_(tasks),
      wanted_(policy.success.succeeded_indexes.value_or(model::RangeSet(IndexRange{0, tasks}))) {}

void CompletionPolicy::Append(IndexRange range) {
  tasks_ = range.end;
  if (!policy_.success.succeeded_indexes) wanted_.Insert(range);
}

void CompletionPolicy::AddDurable(const Batch& batch) {
  durable_ += batch.completed;
  durable_wanted_ += batch.wanted;
  durable_failed_ += batch.failed;
  if (fails_job_.empty()) fails_job_ = batch.fails_job;
}

void CompletionPolicy::Revoke(IndexRange range) {
  EVENKEEL_CHECK(!ends_early_, "a result is revoked when the job is over");
  durable_ -= range.Size();
  durable_wanted_ -= WantedWithin(range);
}

std::int64_t CompletionPolicy::WantedWithin(IndexRange range) const {
  std::int64_t wanted = 0;
  wanted_.ForEachWithin(range, [&wanted](IndexRange part) { wanted += part.Size(); });
  return wanted;
}

void CompletionPolicy::QuoteFailure(model::TaskIndex index, const std::string& node,
                                    std::string_view reason) {
  if (!example_.empty()) return;
  example_ = QuoteFailedAttempt(index, node, reason);
}

std::optional<CompletionPolicy::Verdict> CompletionPolicy::Judge(const Pending& pending,
                                                                 const model::RangeSet& failed) {
  const bool all_settled = durable_ + durable_failed_ == tasks_;
  if (!fails_job_.empty()) return Verdict{JobState::kFailed, fails_job_, EndCause::kTasksFailed};
  if (SuccessRuleMet()) {
    if (pending.checks) return std::nullopt;
    ends_early_ = true;  // results that are about to be durable belong to the job: wait for them
    if (pending.commits) return std::nullopt;
    const bool by_all = all_settled && durable_failed_ <= policy_.max_failed_tasks;
    if (by_all) return Verdict{JobState::kComplete, {}};
    return Verdict{JobState::kComplete, model::kSuccessPolicyMet, EndCause::kSuccessRuleMet};
  }
  if (durable_failed_ > policy_.max_failed_tasks) {
    const std::int64_t count = failed.Size();
    return Verdict{JobState::kFailed,
                   std::to_string(count) + (count == 1 ? " task" : " tasks") +
                       " failed for good (" + ToIndexString(failed, kMaxFailedRangesShown) +
                       "), maxFailedTasks is " + std::to_string(policy_.max_failed_tasks) + "; " +
                       example_,
                   EndCause::kTasksFailed};
  }
  if (!all_settled || pending.checks) return std::nullopt;
  if (!policy_.success.Any()) return Verdict{JobState::kComplete, {}};
  return Verdict{JobState::kFailed,
                 std::to_string(durable_wanted_) +
                     " of the tasks that spec.taskPolicy.successPolicy asks for succeeded, it "
                     "wants " +
                     std::to_string(WantedCount()),
                 EndCause::kTasksFailed};
}

void CompletionPolicy::Drain(const std::string& reason, Instant deadline) {
  drain_deadline_ = deadline;
  drain_reason_ = reason;
}

std::int64_t CompletionPolicy::WantedCount() const {
  return policy_.success.succeeded_count.value_or(wanted_.Size());
}

bool CompletionPolicy::SuccessRuleMet() const {
  return policy_.success.Any() && durable_wanted_ >= WantedCount();
}

void CompletionPolicy::CheckInvariants() const {
  EVENKEEL_CHECK(durable_ + durable_failed_ <= tasks_, "more tasks settled than there are");
  EVENKEEL_CHECK(!ends_early_ || SuccessRuleMet(), "ended by a success rule that is not met");
}

}  // namespace evenkeel::engine
