#include "core/engine/coordinator.h"

#include <algorithm>
#include <utility>

namespace evenkeel::engine {

using model::IndexRange;
using scheduling::WorkerId;

namespace {

Membership::Rules MembershipRules(const CoordinatorConfig& config) {
  return {config.token,
          config.job.workload,
          config.workload_version,
          config.admit_unexpected,
          config.job.max_workers,
          config.job.balancing.lease,
          config.job.task_policy.idempotent};
}

}  // namespace

Coordinator::Coordinator(CoordinatorConfig config)
    : costs_(std::make_shared<model::GrowingCosts>(config.costs)),
      config_(std::move(config)),
      estimator_(EstimatorOptions(config_, *costs_)),
      ledger_(*costs_),
      membership_(MembershipRules(config_)),
      retries_(config_.job.task_policy),
      completion_(config_.job.task_policy, costs_->TaskCount()),
      statistics_(config_.active_before),
      outbox_(statistics_, config_.input_of),
      deliveries_(ledger_, estimator_),
      driver_(
          config_.make_strategy({*costs_, estimator_, ledger_, ledger_, config_.job.balancing,
                                 config_.job.task_policy.idempotent, config_.round_trip,
                                 config_.report_interval, LeftOutRatio(config_.nodes), config_.seed,
                                 holders_, links_, config_.ranges, config_.data_fetched_ahead}),
          config_.job.task_policy.idempotent,
          {ledger_, membership_, statistics_, outbox_, deliveries_}),
      room_({*costs_, estimator_, membership_, ledger_, isolation_}, config_.report_interval),
      placement_({room_, membership_, ledger_, retries_, isolation_, driver_, outbox_}),
      reclaimer_({ledger_, retries_, isolation_, driver_}),
      verification_({ledger_, membership_, room_, outbox_}, config_.verification,
                    config_.job.task_policy.backoff_limit_per_task),
      commits_({ledger_, membership_, completion_, statistics_, outbox_}),
      ending_({ledger_, membership_, completion_, commits_, verification_, driver_, outbox_},
              config_.keep_workers),
      intake_({*costs_, holders_, membership_, estimator_, ledger_, retries_, isolation_,
               lost_runners_, completion_, statistics_, driver_, placement_, verification_,
               commits_, outbox_, deliveries_},
              config_.job.task_policy.idempotent),
      lifecycle_({config_, membership_, estimator_, ledger_, retries_, isolation_, statistics_,
                  driver_, placement_, reclaimer_, intake_, outbox_}),
      exclusion_({*costs_, membership_, ledger_, completion_, statistics_, driver_, verification_,
                  commits_, lifecycle_}),
      reporter_({*costs_, estimator_, ledger_, membership_, isolation_, completion_, verification_,
                 driver_, statistics_}) {
  config_.costs = costs_;
  intake_.RestoreCompleted(config_.completed);
  for (const auto& excluded : config_.verified.exclusions) {
    membership_.Exclude(excluded.node, excluded.reason);
  }
  verification_.Restore(std::exchange(config_.verified, {}));
}

// ---- The job ----

Effects Coordinator::Start(Instant now) {
  statistics_.Start(config_.started.value_or(now));
  if (config_.epoch > 1 && !config_.job.task_policy.idempotent) {
    leases_from_ = now + config_.job.balancing.lease;
  }
  for (const auto& node : config_.nodes) {
    if (!node.left_out && !membership_.IsExcluded(node.name)) lifecycle_.AddNode(node, now);
  }
  if (const auto rate = UnitRate(config_.nodes)) estimator_.SetUnitRate(*rate);
  Place(config_.placed);
  Link(config_.links);
  intake_.RestoreFailures(config_.failures, now);
  driver_.Start(now);
  ending_.EndIfOver();
  return outbox_.Take(now);
}

Effects Coordinator::OnGrown(GrownJob grown, Instant now) {
  if (Ended()) return {};
  const IndexRange appended{costs_->TaskCount(), grown.costs->TaskCount()};
  costs_->GrowTo(std::move(grown.costs));
  outbox_.SetInputs(std::move(grown.input_of));
  config_.job.workload_parameters = std::move(grown.workload_parameters);
  if (appended.Empty()) return {};
  ledger_.Append();
  completion_.Append(appended);
  driver_.Append(appended, now);
  Decide(now);
  return outbox_.Take(now);
}

Effects Coordinator::OnDataHeld(const std::string& node, const model::RangeSet& tasks,
                                Instant now) {
  const auto worker = membership_.Find(node);
  if (Ended() || !worker) return {};
  // Some of them may be appended to the job later.
  tasks.ForEach([&](IndexRange range) { holders_.Add(*worker, range); });
  driver_.HoldsData(*worker, now);
  Decide(now);
  return outbox_.Take(now);
}

void Coordinator::Place(const std::vector<PlacedTasks>& placed) {
  for (const PlacedTasks& tasks : placed) {
    if (const auto worker = membership_.Find(tasks.node)) holders_.Add(*worker, tasks.range);
  }
}

void Coordinator::Link(const std::vector<NodeLink>& links) {
  for (const NodeLink& link : links) {
    const auto one = membership_.Find(link.one);
    const auto other = membership_.Find(link.other);
    if (one && other) links_.Add(*one, *other, link.tasks_per_second);
  }
}

// ---- Streams ----

Effects Coordinator::OnMessage(StreamId stream, ToCoordinator message, Instant now) {
  if (Ended()) return {};
  statistics_.CountMessage();
  const WorkerId* const known = membership_.FindStream(stream);
  if (const auto* hello = std::get_if<Hello>(&message)) {
    if (known == nullptr && !lifecycle_.Admit(stream, *hello, now)) {
      ending_.Break(
          {model::JobState::kInterrupted, "a newer coordinator of this job is running", true});
    }
  } else if (known == nullptr) {
    outbox_.Add(CloseStream{stream});
  } else {
    const WorkerId worker = *known;
    membership_.RenewLease(worker, now);
    Measure(worker, message, now);
    if (auto* report = std::get_if<Report>(&message)) {
      Apply(worker, std::move(*report), now);
    } else if (const auto* given = std::get_if<GiveBack>(&message)) {
      Apply(worker, *given, now);
    } else {
      lifecycle_.Lose(worker, kLeftInGoodOrder, true, now);
    }
  }
  Decide(now);
  return outbox_.Take(now);
}

void Coordinator::Measure(WorkerId worker, const ToCoordinator& message, Instant now) {
  std::visit(
      [&](const auto& kind) {
        if constexpr (requires { kind.echo; }) {
          RoundTripEstimator& round_trip = membership_.At(worker).round_trip;
          round_trip.Add(kind.echo, now);
          estimator_.SetRoundTrip(worker, round_trip.Estimate());
        }
      },
      message);
}

void Coordinator::Apply(WorkerId worker, Report report, Instant now) {
  Member& member = membership_.At(worker);
  ++member.reports_received;
  if (completion_.EndsEarly()) return;  // the job is over but for its last commit
  if (!intake_.IsValid(report)) {
    lifecycle_.Lose(worker, "reported results that cannot be", true, now);
    return;
  }
  if (report.draining && !member.draining) lifecycle_.OnDraining(worker);
  intake_.Apply(worker, std::move(report), now);
  exclusion_.ExcludeFound(now);
  ending_.EndIfOver();
}

void Coordinator::Apply(WorkerId worker, const GiveBack& given, Instant now) {
  const std::int64_t tasks = reclaimer_.ReclaimGivenBack(worker, given.parts, now);
  placement_.Touch(worker, now);
  driver_.RecallAnswered(worker, given.recall, tasks, now);
}

void Coordinator::OnHeard(StreamId stream, Instant now) {
  const WorkerId* const known = membership_.FindStream(stream);
  if (known != nullptr) membership_.RenewLease(*known, now);
}

Effects Coordinator::OnStreamClosed(StreamId stream, Instant now) {
  if (Ended() || membership_.FindStream(stream) == nullptr) return {};
  lifecycle_.OnStreamClosed(stream, now);
  Decide(now);
  return outbox_.Take(now);
}

// ---- The operator ----

Effects Coordinator::OnContainerEnds(ContainerEnds ends, Instant now) {
  if (Ended()) return {};
  lost_runners_.SetEnds(std::move(ends));
  JudgeLostRunners(now);
  Decide(now);
  return outbox_.Take(now);
}

void Coordinator::JudgeLostRunners(Instant now) {
  if (completion_.EndsEarly()) return;  // the job is over but for its last commit
  intake_.JudgeLostRunners(now);
  ending_.EndIfOver();
}

// ---- Journal ----

Effects Coordinator::OnDurable(BatchId batch, Instant now) {
  if (Ended()) return {};
  commits_.OnDurable(batch, now);
  ending_.EndIfOver();
  ending_.EndIfDrained(now);
  return outbox_.Take(now);
}

Effects Coordinator::OnJournalFailed(const std::string& reason, Instant now) {
  ending_.Break({model::JobState::kFailed, reason});
  return outbox_.Take(now);
}

// ---- Time ----

Effects Coordinator::OnDeadline(const std::string& reason) {
  ending_.End({model::JobState::kFailed, reason, model::EndCause::kDeadlineExceeded});
  return outbox_.Take({});
}

void Coordinator::OnStall(Duration stalled, Instant now) {
  membership_.ExtendLeases(stalled, now);
  driver_.ExtendRecalls(stalled, now);
}

Effects Coordinator::OnTimer(Instant now) {
  if (Ended()) return {};
  lifecycle_.ExpireLeases(now);
  driver_.ExpireRecalls(now);
  JudgeLostRunners(now);
  Decide(now);
  return outbox_.Take(now);
}

Instant Coordinator::NextTimer() const {
  if (Ended()) return kNever;
  const bool draining = completion_.Draining();
  Instant next =
      draining ? completion_.DrainDeadline() : std::min(driver_.NextDecision(), retries_.NextDue());
  if (leases_from_ && !draining) next = *leases_from_;
  next = std::min(next, lost_runners_.NextDeadline());
  if (completion_.EndsEarly()) next = kNever;  // only commits are waited for
  return std::min({next, membership_.NextExpiry(), driver_.NextRecallExpiry()});
}

void Coordinator::Decide(Instant now) {
  ending_.EndIfDrained(now);
  const bool not_yet = leases_from_ && now < *leases_from_;
  if (Ended() || completion_.Draining() || completion_.EndsEarly() || not_yet) {
    placement_.Skip();
    return;
  }
  leases_from_.reset();
  placement_.Place(now);
  verification_.Place(now);
  ending_.EndIfOver();
  if (Ended()) return;
  driver_.Decide(now);
  reporter_.RecordPrediction(now);
}

// ---- The end ----

Effects Coordinator::OnInterrupt(const std::string& reason, Duration grace, Instant now) {
  ending_.Interrupt(reason, grace, now);
  return outbox_.Take(now);
}

void Coordinator::CheckInvariants() const {
  ledger_.CheckInvariants();
  completion_.CheckInvariants();
  placement_.CheckInvariants();
}

}  // namespace evenkeel::engine
