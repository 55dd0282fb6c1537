#include "core/engine/coordinator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::engine {

using model::IndexRange;
using model::TimelineEvent;
using scheduling::WorkerId;

namespace {

// How long a worker may take to answer a recall; then it lapses: slow is not lost.
constexpr Duration kRecallPatience = std::chrono::seconds(2);
// Predictions kept in the timeline: at most one per this part of the time so far.
constexpr int kEtaSamplesPerDoubling = 64;

scheduling::TimingEstimator::Options EstimatorOptions(const model::CostModel& costs) {
  scheduling::TimingEstimator::Options options;
  if (!costs.Known()) options.task_relative_sigma = 0.5;
  return options;
}

double LeftOutRatio(const std::vector<ExpectedNode>& nodes) {
  double sum = 0;
  for (const auto& node : nodes) sum += node.left_out ? node.ratio : 0.0;
  return sum;
}

}  // namespace

Coordinator::Coordinator(CoordinatorConfig config)
    : costs_(std::make_shared<model::GrowingCosts>(config.costs)),
      config_(std::move(config)),
      estimator_(EstimatorOptions(*costs_)),
      leases_(*costs_),
      completed_(config_.completed),
      durable_(completed_.Size()),
      retries_(config_.job.task_policy) {
  config_.costs = costs_;
  strategy_ = scheduling::MakeStrategy({*costs_, estimator_, leases_, config_.job.balancing,
                                        config_.job.task_policy.idempotent, config_.round_trip,
                                        config_.report_interval, LeftOutRatio(config_.nodes),
                                        config_.seed, places_});
  last_durable_ = config_.active_before;
  completed_.ForEach([this](IndexRange range) { completed_cost_ += config_.costs->Of(range); });
  wanted_ = config_.job.task_policy.success.succeeded_indexes.value_or(
      model::RangeSet(IndexRange{0, config_.costs->TaskCount()}));
  completed_.ForEach([this](IndexRange range) { durable_wanted_ += Wanted(range); });
}

Effects Coordinator::Start(Instant now) {
  start_ = config_.started.value_or(now);
  Effects effects;
  if (config_.epoch > 1 && !config_.job.task_policy.idempotent) {
    grants_from_ = now + config_.job.balancing.lease;
  }
  AddExpectedNodes();
  Place(config_.placed);
  Connect(config_.links);
  Remember(config_.failures, now);
  model::RangeSet todo(IndexRange{0, config_.costs->TaskCount()});
  completed_.ForEach([&todo](IndexRange range) { todo.Erase(range); });
  retries_.Failed().ForEach([&todo](IndexRange range) { todo.Erase(range); });
  retries_.Open().ForEach([&todo](IndexRange range) { todo.Erase(range); });
  std::vector<scheduling::WorkerFacts> facts;
  const bool weightless =
      std::none_of(nodes_.begin(), nodes_.end(), [](const Node& node) { return node.ratio > 0; });
  for (const auto& node : nodes_) {
    facts.push_back({weightless ? 1.0 : node.ratio, node.tally.power});
  }
  strategy_->Start(facts, todo, now);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].tally.share = strategy_->PlannedShares()[i];
    Heard({static_cast<std::uint32_t>(i)}, now);  // it has one lease's time to appear
  }
  EndIfOver(effects);
  return effects;
}

Effects Coordinator::OnMessage(StreamId stream, ToCoordinator message, Instant now) {
  Effects effects;
  if (ended_) return effects;
  ++messages_;
  const WorkerId* const known = streams_.Find(stream);
  if (auto* hello = std::get_if<Hello>(&message)) {
    if (!known) Admit(stream, *hello, now, effects);
  } else if (!known) {
    effects.emplace_back(CloseStream{stream});
  } else {
    const WorkerId worker = *known;
    Heard(worker, now);
    if (auto* report = std::get_if<Report>(&message)) {
      Apply(worker, std::move(*report), now, effects);
    } else if (const auto* given = std::get_if<GiveBack>(&message)) {
      Apply(worker, *given, now);
    } else {
      Lose(worker, "left in good order", now, effects);
    }
  }
  Decide(now, effects);
  return effects;
}

Effects Coordinator::OnTimer(Instant now) {
  Effects effects;
  if (ended_) return effects;
  ExpireLeases(now, effects);
  LapseRecalls(now);
  Decide(now, effects);
  return effects;
}

Instant Coordinator::NextTimer() const {
  if (ended_) return kNever;
  Instant next =
      drain_until_ ? *drain_until_ : std::min(strategy_->NextDecision(), retries_.NextDue());
  if (grants_from_ && !drain_until_) next = *grants_from_;
  if (ends_early_) next = kNever;  // it is only waited for what is about to be durable
  next = std::min(next, NextExpiry());
  if (!recall_lapses_.empty()) next = std::min(next, recall_lapses_.begin()->first);
  return next;
}

Effects Coordinator::OnInterrupt(const std::string& reason, Duration grace, Instant now) {
  Effects effects;
  if (ended_) return effects;
  if (drain_until_) {
    Break({model::JobState::kInterrupted, reason}, effects);
    return effects;
  }
  drain_until_ = now + grace;
  drain_reason_ = reason;
  for (const auto& [stream, worker] : streams_) {
    Send(stream, Recall{RecallId{next_recall_++}, config_.costs->TaskCount(), true}, effects);
  }
  EndIfDrained(now, effects);
  return effects;
}

void Coordinator::EndIfDrained(Instant now, Effects& effects) {
  if (ended_ || !drain_until_) return;
  const bool quiet = leases_.LeasedTasks() == 0 && unacknowledged_.empty();
  if (quiet || now >= *drain_until_) {
    Break({model::JobState::kInterrupted, drain_reason_}, effects);
  }
}

Effects Coordinator::OnJournalFailed(const std::string& reason, Instant) {
  Effects effects;
  if (!ended_) Break({model::JobState::kFailed, reason}, effects);
  return effects;
}

Effects Coordinator::OnDeadline(const std::string& reason) {
  Effects effects;
  if (!ended_) End(model::JobState::kFailed, reason, effects);
  return effects;
}

void Coordinator::Decide(Instant now, Effects& effects) {
  EndIfDrained(now, effects);
  if (ended_ || drain_until_ || ends_early_) return;
  if (grants_from_ && now < *grants_from_) return;
  grants_from_.reset();
  PlaceRetries(now, effects);
  for (;;) {
    const auto decisions = strategy_->Decide(now);
    if (decisions.empty()) break;
    Assigns assigns;
    for (const auto& decision : decisions) Carry(decision, now, assigns, effects);
    for (auto& [stream, assign] : assigns.in_order) Send(stream, std::move(assign), effects);
  }
  for (const auto& move : strategy_->TakeMoves()) {
    ++moves_.reserved;
    TimelineEvent event;
    event.kind = TimelineEvent::Kind::kMove;
    event.start = event.end = JobTime(move.at);
    event.node = At(move.to).name;
    event.from_node = At(move.from).name;
    event.tasks = move.tasks;
    event.detail = "reserved";
    events_.push_back(event);
  }
  NoteEta(now);
}

Assign& Coordinator::Assigns::For(StreamId stream) {
  const auto [place, fresh] = places.emplace(stream, in_order.size());
  if (fresh) in_order.emplace_back(stream, Assign{});
  return in_order[place->second].second;
}

void Coordinator::Carry(const scheduling::Decision& decision, Instant now, Assigns& assigns,
                        Effects& effects) {
  if (const auto* grant = std::get_if<scheduling::GrantDecision>(&decision)) {
    EVENKEEL_CHECK(At(grant->worker).stream, "a grant to a worker that is not there");
    const GrantId id{next_grant_++};
    leases_.Lease(grant->worker, grant->range, id, now);
    assigns.For(*At(grant->worker).stream).grants.push_back(MakeGrant(id, grant->range, false));
    strategy_->Touch(grant->worker, now);
  } else if (const auto* copy = std::get_if<scheduling::CopyDecision>(&decision)) {
    EVENKEEL_CHECK(config_.job.task_policy.idempotent, "a copy of a task that must not run twice");
    const GrantId id{next_grant_++};
    leases_.LeaseCopy(copy->worker, copy->range, id, now);
    assigns.For(*At(copy->worker).stream).grants.push_back(MakeGrant(id, copy->range, true));
    ++moves_.copies;
    strategy_->Touch(copy->worker, now);
  } else if (const auto* recall = std::get_if<scheduling::RecallDecision>(&decision)) {
    const RecallId id{next_recall_++};
    At(recall->worker).recall = Recalled{id, now + kRecallPatience};
    recall_lapses_[now + kRecallPatience].push_back(recall->worker);
    Send(*At(recall->worker).stream, engine::Recall{id, recall->max_tasks, false}, effects);
  }
}

Grant Coordinator::MakeGrant(GrantId id, IndexRange range, bool copy) const {
  Grant grant{id, range, copy, retries_.Failures(range.begin), {}};
  if (!config_.input_of) return grant;
  model::PackedResults inputs;
  for (auto i = range.begin; i < range.end; ++i) inputs.Append(config_.input_of(i));
  grant.inputs = model::TaskInputs(range.begin, std::move(inputs));
  return grant;
}

void Coordinator::LapseRecalls(Instant now) {
  while (!recall_lapses_.empty() && recall_lapses_.begin()->first <= now) {
    const auto workers = std::move(recall_lapses_.begin()->second);
    recall_lapses_.erase(recall_lapses_.begin());
    for (const WorkerId worker : workers) {
      auto& recall = At(worker).recall;
      if (!recall || recall->lapses > now) continue;
      recall.reset();
      ++recalls_failed_;
      strategy_->RecallEnded(worker, now);
    }
  }
}

void Coordinator::Send(StreamId stream, ToWorker message, Effects& effects) {
  ++messages_;
  effects.emplace_back(SendToWorker{stream, std::move(message)});
}

void Coordinator::Note(TimelineEvent::Kind kind, const std::string& node, Instant at,
                       const std::string& detail) {
  TimelineEvent event;
  event.kind = kind;
  event.start = event.end = JobTime(at);
  event.node = node;
  event.detail = detail;
  events_.push_back(event);
}

std::vector<TimelineEvent> Coordinator::TakeEvents() { return std::exchange(events_, {}); }

std::vector<TimelineEvent> Coordinator::StageEvents(Instant now) const {
  std::vector<TimelineEvent> stages;
  for (const auto& stage : strategy_->Stages(now)) {
    TimelineEvent event;
    event.kind = stage.number > 0 ? TimelineEvent::Kind::kStage : TimelineEvent::Kind::kMaster;
    event.start = JobTime(stage.start);
    event.end = JobTime(stage.end);
    if (stage.number > 0) {
      event.detail = std::to_string(stage.number);
    } else {
      event.node = At(stage.master).name;
    }
    stages.push_back(event);
  }
  return stages;
}

void Coordinator::NoteEta(Instant now) {
  const Duration time = JobTime(now);
  const Duration step =
      std::max(time / kEtaSamplesPerDoubling, Duration(std::chrono::milliseconds(20)));
  if (time - eta_noted_ < step) return;
  const auto predicted = PredictEnd(now);
  if (!predicted) return;
  eta_noted_ = time;
  eta_spread_.Note(ToSeconds(time + predicted->left), ToSeconds(predicted->left));
  TimelineEvent event;
  event.kind = TimelineEvent::Kind::kEta;
  event.start = time;
  event.end = time + predicted->left;
  event.sigma = predicted->sigma;
  events_.push_back(event);
}

}  // namespace evenkeel::engine
