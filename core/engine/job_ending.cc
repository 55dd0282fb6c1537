#include "core/engine/job_ending.h"

#include <utility>

namespace evenkeel::engine {

void JobEnding::EndIfOver() {
  if (ended_) return;
  if (const std::string& failure = parts_.verification.Failure(); !failure.empty()) {
    return End({model::JobState::kFailed, failure, model::EndCause::kResultsDiffer});
  }
  const auto verdict = parts_.completion.Judge(
      {.commits = !parts_.commits.Empty(), .checks = !parts_.verification.Settled()},
      parts_.ledger.Failed());
  if (verdict) End(*verdict);
}

void JobEnding::EndIfDrained(Instant now) {
  if (ended_ || !parts_.completion.Draining()) return;
  const bool quiet = parts_.ledger.Count(TaskState::kLeased) == 0 && parts_.commits.Empty();
  if (!quiet && now < parts_.completion.DrainDeadline()) return;
  Break({model::JobState::kInterrupted, parts_.completion.DrainReason()});
}

void JobEnding::Interrupt(const std::string& reason, Duration grace, Instant now) {
  if (ended_) return;
  if (parts_.completion.Draining()) return Break({model::JobState::kInterrupted, reason});
  parts_.completion.Drain(reason, now + grace);
  for (const auto& [stream, worker] : parts_.membership.Streams()) parts_.driver.RecallAll(stream);
  EndIfDrained(now);
}

void JobEnding::End(const CompletionPolicy::Verdict& verdict) {
  if (ended_) return;
  SendFinish(verdict.reason);
  parts_.outbox.Add(EndJob{verdict.state, verdict.reason, false, verdict.cause});
  ended_ = true;
}

void JobEnding::Break(EndJob end) {
  if (ended_) return;
  if (!keep_workers_) SendFinish(end.reason);
  parts_.outbox.Add(std::move(end));
  ended_ = true;
}

void JobEnding::SendFinish(const std::string& reason) {
  for (const auto& [stream, worker] : parts_.membership.Streams()) {
    parts_.outbox.Send(stream, Finish{reason});
  }
}

}  // namespace evenkeel::engine
