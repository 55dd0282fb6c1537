// Coordinator: what is done and what has failed.
#include <algorithm>

#include "core/base/check.h"
#include "core/engine/coordinator.h"
#include "core/scheduling/predicted_time.h"

namespace evenkeel::engine {

using model::IndexRange;
using model::RunKind;
using scheduling::ReturnCause;
using scheduling::WorkerId;

namespace {

double Fraction(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

}  // namespace

void Coordinator::Apply(WorkerId worker, Report report, Instant now, Effects& effects) {
  Node& node = At(worker);
  ++node.heard;
  if (ends_early_) return;  // what comes now comes too late
  if (!Sound(report)) {     // no honest worker sends this: do not let it near the job
    Lose(worker, "reported results that cannot be", now, effects);
    return;
  }
  Measure(worker, report);
  Persist persist{BatchId{next_batch_}, {}, {}};
  AckNote ack{worker, *node.stream, {}, 0, 0, 0, {}, last_durable_};
  for (auto& done : report.completed) {
    ApplyCompleted(worker, std::move(done), now, persist, ack, effects);
  }
  for (auto& failed : report.failed) ApplyFailed(worker, std::move(failed), now, persist, ack);
  strategy_->Touch(worker, now);
  if (!persist.results.empty() || !persist.failures.empty()) {
    ++next_batch_;
    unacknowledged_.emplace(persist.batch, std::move(ack));
    effects.emplace_back(std::move(persist));
  } else if (!ack.ranges.empty() || !config_.job.task_policy.idempotent) {
    Send(*node.stream, Acknowledge{ack.ranges, node.heard}, effects);
  }
  EndIfOver(effects);
}

// A report is one measurement. Its parts are not: where a quota holds a core back, short runs
// between two pauses look many times faster than the board is, and they are many.
void Coordinator::Measure(WorkerId worker, const Report& report) {
  std::int64_t tasks = 0;
  model::Cost cost = 0;
  double busy_seconds = 0;
  double waited_seconds = 0;
  for (const auto& done : report.completed) {
    tasks += done.range.Size();
    // Who repeats himself gets no sum that does not fit.
    cost += std::min(config_.costs->Of(done.range), config_.costs->Total() - cost);
    const double busy = std::max(ToSeconds(done.busy), 0.0);
    busy_seconds += busy;
    waited_seconds += std::clamp(ToSeconds(done.waited), 0.0, busy);
  }
  estimator_.Observe(worker, tasks, cost, FromSeconds(busy_seconds));
  estimator_.NoteWaiting(worker, FromSeconds(waited_seconds));
  At(worker).ran_cost += static_cast<double>(cost);
  At(worker).ran_seconds += busy_seconds;
}

bool Coordinator::Sound(const Report& report) const {
  const IndexRange all{0, config_.costs->TaskCount()};
  return std::all_of(report.completed.begin(), report.completed.end(),
                     [&](const CompletedRange& done) {
                       return !done.range.Empty() && all.Contains(done.range) &&
                              done.results.Count() == done.range.Size();
                     }) &&
         std::all_of(report.failed.begin(), report.failed.end(),
                     [&](const FailedTask& failed) { return all.Contains(failed.index); });
}

void Coordinator::ApplyCompleted(WorkerId worker, CompletedRange done, Instant now,
                                 Persist& persist, AckNote& ack, Effects& effects) {
  // A worker's clock may have stood still or jumped: nothing began before the job or ends later.
  const Duration longest = now - start_;
  done.ended_ago = std::clamp(done.ended_ago, Duration::zero(), longest);
  done.started_ago = std::clamp(done.started_ago, done.ended_ago, longest);
  done.busy = std::max(done.busy, Duration::zero());
  Node& node = At(worker);
  const IndexRange range = done.range;
  ack.ranges.push_back(range);
  const double busy = ToSeconds(done.busy);
  node.tally.busy_seconds += busy;
  const Instant started = now - done.started_ago;
  if (!first_task_ || started < *first_task_) first_task_ = started;

  std::int64_t fresh = 0;
  for (const IndexRange part : FreshParts(range)) {
    fresh += part.Size();
    ack.wanted += Wanted(part);
    for (const auto& [kind_range, kind] : Kinds(worker, done.copy, part)) {
      model::ResultRecord record;
      record.range = kind_range;
      record.node = node.name;
      record.started = JobTime(started);
      record.ended = JobTime(now - done.ended_ago);
      record.busy = FromSeconds(busy * Fraction(kind_range.Size(), range.Size()));
      record.kind = kind;
      record.results = kind_range == range ? std::move(done.results)
                                           : done.results.Slice(kind_range.begin - range.begin,
                                                                kind_range.end - range.begin);
      ack.ended = std::max(ack.ended, record.ended);
      node.tally.last_end = std::max(node.tally.last_end, record.ended);
      persist.results.push_back(std::move(record));
    }
    node.tally.completed += part.Size();
    node.tally.cost += config_.costs->Of(part);
    completed_.Insert(part);
    completed_cost_ += config_.costs->Of(part);
    retries_.Forget(part);
    const std::int64_t leased_before = leases_.LeasedTasks();
    const auto others = leases_.Complete(part, worker);
    CancelElsewhere(others, effects);
    for (const auto& other : others) strategy_->Touch(other.worker, now);
    // What was not leased to anybody is the strategy's, which has to look for it at all workers.
    if (leased_before - leases_.LeasedTasks() < part.Size()) strategy_->Withdraw(part);
  }
  ack.tasks += fresh;
  wasted_seconds_ += busy * Fraction(range.Size() - fresh, range.Size());
  leases_.NoteWorked(worker, now - done.ended_ago);
  if (node.tally.predicted_end == Duration::zero() && node.tally.share > 0 &&
      static_cast<double>(node.tally.cost) >=
          0.1 * node.tally.share * static_cast<double>(config_.costs->Total())) {
    const double left = std::max(node.tally.share * static_cast<double>(config_.costs->Total()) -
                                     static_cast<double>(node.tally.cost),
                                 0.0);
    node.tally.predicted_end =
        JobTime(now) + scheduling::PredictedTime(left / estimator_.Rate(worker));
  }
}

std::vector<IndexRange> Coordinator::FreshParts(IndexRange range) const {
  std::vector<IndexRange> fresh;
  for (const IndexRange open : completed_.Missing(range)) {
    // What was given up does not count any more, whoever brings it now.
    const auto parts = retries_.Failed().Missing(open);
    fresh.insert(fresh.end(), parts.begin(), parts.end());
  }
  return fresh;
}

std::vector<std::pair<IndexRange, RunKind>> Coordinator::Kinds(WorkerId worker, bool copy,
                                                               IndexRange part) {
  std::vector<std::pair<IndexRange, RunKind>> cuts;
  for (model::TaskIndex from = part.begin; from < part.end;) {
    const auto plan = strategy_->PlanOf(from);
    const IndexRange cut{from, std::min(plan.until, part.end)};
    const bool stolen = plan.worker && *plan.worker != worker;
    if (stolen) {
      At(worker).tally.stolen_in += cut.Size();
      At(*plan.worker).tally.stolen_out += cut.Size();
    }
    cuts.emplace_back(cut, copy ? RunKind::kCopy : stolen ? RunKind::kStolen : RunKind::kPlanned);
    from = cut.end;
  }
  return cuts;
}

void Coordinator::CancelElsewhere(const std::vector<OwnerMap::Piece>& others, Effects& effects) {
  std::map<StreamId, Cancel> cancels;
  for (const auto& piece : others) {
    if (At(piece.worker).stream) cancels[*At(piece.worker).stream].ranges.push_back(piece.range);
  }
  for (auto& [stream, cancel] : cancels) Send(stream, std::move(cancel), effects);
}

void Coordinator::ApplyFailed(WorkerId worker, FailedTask failed, Instant now, Persist& persist,
                              AckNote& ack) {
  const IndexRange one{failed.index, failed.index + 1};
  At(worker).tally.busy_seconds += ToSeconds(failed.busy);
  wasted_seconds_ += ToSeconds(failed.busy);
  leases_.DropCopy(worker, one);
  const bool was_free = leases_.Owners(one).empty();
  // A failure from before a silence may arrive after the task was leased to this worker anew.
  const auto freed = leases_.Release(worker, one, failed.grant);
  // Somebody else has it, or it is over, or pauses before its next attempt. Whoever has it says how
  // it ends: with copies and no end, a task that always fails would never have failed.
  if (freed.empty()) {
    leases_.ForbidCopies(one);
    const bool in_pool = was_free && strategy_->PoolContains(one);
    if (!in_pool && !(was_free && retries_.Withdraw(failed.index))) return;
    if (in_pool) strategy_->Withdraw(one);
  }

  const std::string& node = At(worker).name;
  const auto fate = retries_.CountFailure(failed.index, node, failed.exit_code);
  const bool final = fate != RetryBook::Fate::kTryAgain;
  if (fate == RetryBook::Fate::kFailsJob) {
    ack.fails_job = WhyJobFails(failed.index, node, failed.exit_code);
  }
  if (!final) failed.record.clear();  // the results have use for that of the last attempt only
  persist.failures.push_back({failed.index, node, std::move(failed.reason),
                              retries_.Failures(failed.index), final, failed.exit_code,
                              std::move(failed.record)});
  if (final) {
    retries_.GiveUp(failed.index, node, persist.failures.back().reason);
    ++ack.given_up;
  } else {
    retries_.TryLater(failed.index, now);
  }
}

void Coordinator::Apply(WorkerId worker, const GiveBack& given, Instant now) {
  std::int64_t tasks = 0;
  for (const Grant& part : given.parts) {
    for (const IndexRange free : leases_.Release(worker, part.range, part.id)) {
      tasks += free.Size();
      TakeBack(worker, free, ReturnCause::kGivenBack, now);
    }
  }
  if (tasks > 0 && given.recall != RecallId{}) {
    ++moves_.leased;
    model::TimelineEvent event;
    event.kind = model::TimelineEvent::Kind::kMove;
    event.start = event.end = JobTime(now);
    event.from_node = At(worker).name;
    event.tasks = tasks;
    event.detail = "leased";
    events_.push_back(event);
  }
  auto& recall = At(worker).recall;
  if (!recall || recall->id != given.recall) return;  // it has lapsed
  if (tasks == 0) ++recalls_failed_;
  recall.reset();
  strategy_->RecallEnded(worker, now);
}

Effects Coordinator::OnDurable(BatchId batch, Instant now) {
  Effects effects;
  if (ended_) return effects;
  while (!unacknowledged_.empty() && unacknowledged_.begin()->first <= batch) {
    const AckNote ack = std::move(unacknowledged_.begin()->second);
    unacknowledged_.erase(unacknowledged_.begin());
    durable_ += ack.tasks;
    durable_wanted_ += ack.wanted;
    durable_failed_ += ack.given_up;
    if (fails_job_.empty()) fails_job_ = ack.fails_job;
    const bool settled = ack.tasks + ack.given_up > 0;
    last_durable_ = std::max(last_durable_, settled ? JobTime(now) : ack.ended);
    const Node& node = At(ack.worker);
    if (node.stream == ack.stream) Send(ack.stream, Acknowledge{ack.ranges, node.heard}, effects);
  }
  EndIfOver(effects);
  EndIfDrained(now, effects);
  return effects;
}

}  // namespace evenkeel::engine
