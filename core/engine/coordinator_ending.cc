// Coordinator: when the job is over, and what is true until then.
#include "core/base/check.h"
#include "core/engine/coordinator.h"

namespace evenkeel::engine {

using model::IndexRange;

// Only what is durable counts, and results that are not yet do not put off a failure.
void Coordinator::EndIfOver(Effects& effects) {
  if (ended_) return;
  if (!fails_job_.empty()) {
    End(model::JobState::kFailed, fails_job_, effects);
  } else if (SuccessPolicyMet()) {
    ends_early_ = true;  // what is about to be durable is part of the results: wait for that
    const bool anyway = durable_ + durable_failed_ == config_.costs->TaskCount() &&
                        durable_failed_ <= config_.job.task_policy.max_failed_tasks;
    if (unacknowledged_.empty()) {
      End(model::JobState::kComplete, anyway ? "" : model::kSuccessPolicyMet, effects);
    }
  } else if (durable_failed_ > config_.job.task_policy.max_failed_tasks) {
    End(model::JobState::kFailed, TooManyFailed(), effects);
  } else if (durable_ + durable_failed_ == config_.costs->TaskCount()) {
    EndWhenAllIsRun(effects);
  }
}

// Which ones, and an example of why: most often it is the same for all.
std::string Coordinator::TooManyFailed() const {
  const std::int64_t failed = retries_.Failed().Size();
  return std::to_string(failed) + (failed == 1 ? " task" : " tasks") + " failed for good (" +
         ToIndexString(retries_.Failed(), kMaxFailedRangesShown) + "), maxFailedTasks is " +
         std::to_string(config_.job.task_policy.max_failed_tasks) + "; " +
         retries_.ExampleGivenUp();
}

// A success policy that all tasks together have not met never will be.
void Coordinator::EndWhenAllIsRun(Effects& effects) {
  if (!config_.job.task_policy.success.Any()) return End(model::JobState::kComplete, {}, effects);
  End(model::JobState::kFailed,
      std::to_string(durable_wanted_) +
          " of the tasks that spec.taskPolicy.successPolicy asks for "
          "succeeded, it wants " +
          std::to_string(WantedCount()),
      effects);
}

void Coordinator::End(model::JobState state, const std::string& reason, Effects& effects) {
  for (const auto& [stream, worker] : streams_) Send(stream, Finish{reason}, effects);
  effects.emplace_back(EndJob{state, reason});
  ended_ = true;
}

void Coordinator::Break(EndJob end, Effects& effects) {
  if (!config_.keep_workers) {
    for (const auto& [stream, worker] : streams_) Send(stream, Finish{end.reason}, effects);
  }
  effects.emplace_back(std::move(end));
  ended_ = true;
}

void Coordinator::CheckInvariants() const {
  const std::int64_t total = config_.costs->TaskCount();
  const std::int64_t waiting = retries_.WaitingTasks().Size();
  const std::int64_t places = strategy_->PoolSize() + leases_.LeasedTasks() + completed_.Size() +
                              retries_.Failed().Size() + waiting;
  EVENKEEL_CHECK(places == total, "a task is in no place or in two");
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    leases_.Leased({i}).ForEach([this](IndexRange range) {
      EVENKEEL_CHECK(!completed_.Overlaps(range), "a completed task is leased");
      EVENKEEL_CHECK(!retries_.Failed().Overlaps(range), "a failed task is leased");
    });
  }
  retries_.Open().ForEach([this](IndexRange range) {
    EVENKEEL_CHECK(!completed_.Overlaps(range), "a completed task is to be tried again");
    EVENKEEL_CHECK(!retries_.Failed().Overlaps(range), "a failed task is to be tried again");
  });
  EVENKEEL_CHECK(!ends_early_ || SuccessPolicyMet(), "ended by a policy that is not met");
}

}  // namespace evenkeel::engine
