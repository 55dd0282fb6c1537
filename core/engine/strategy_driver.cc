#include "core/engine/strategy_driver.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "core/base/check.h"

namespace evenkeel::engine {

using model::IndexRange;
using model::TimelineEvent;
using scheduling::WorkerChange;
using scheduling::WorkerId;

namespace {

/// The weights of all members; all are 1 if none is known.
std::vector<double> WeightsOf(const Membership& membership) {
  std::vector<double> weights;
  for (const Member& member : membership.Members()) weights.push_back(member.ratio);
  const bool known = std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0; });
  if (!known) std::fill(weights.begin(), weights.end(), 1.0);
  return weights;
}

/// False for decisions that are only shown.
bool ChangesLeases(const scheduling::Decision& decision) {
  return !std::holds_alternative<scheduling::MoveDecision>(decision) &&
         !std::holds_alternative<scheduling::StageDecision>(decision);
}

}  // namespace

StrategyDriver::StrategyDriver(std::unique_ptr<scheduling::Strategy> strategy, bool idempotent,
                               const Parts& parts)
    : strategy_(std::move(strategy)), idempotent_(idempotent), parts_(parts) {}

// ---- Events ----

void StrategyDriver::Start(Instant now) {
  model::RangeSet todo;
  parts_.ledger.ForEachState({0, parts_.ledger.TaskCount()},
                             [&](IndexRange range, TaskState state) {
                               if (state == TaskState::kUnassigned) todo.Insert(range);
                             });
  const std::vector<double> weights = WeightsOf(parts_.membership);
  std::vector<scheduling::WorkerFacts> facts;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    facts.push_back({weights[i], parts_.statistics.Node({i}).power});
  }
  strategy_->Start(facts, todo, now);
  NoteShares();
}

void StrategyDriver::Append(IndexRange range, Instant now) {
  strategy_->OnTasksAvailable({range, scheduling::TaskOrigin::kAppended}, now);
  NoteShares();
}

void StrategyDriver::AddWorker(WorkerId worker, double ratio, Instant now) {
  strategy_->OnWorkerEvent({WorkerChange::kJoined, worker, {ratio}}, now);
}

void StrategyDriver::NoteShares() {
  std::vector<double> shares;
  for (std::uint32_t i = 0; i < parts_.membership.Size(); ++i) {
    shares.push_back(static_cast<double>(parts_.ledger.PlannedCost({i})));
  }
  const bool planned = std::any_of(shares.begin(), shares.end(), [](double s) { return s > 0; });
  if (!planned) shares = WeightsOf(parts_.membership);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    parts_.statistics.Node({i}).share = shares[i] / sum;
  }
}

void StrategyDriver::WorkerLost(WorkerId worker, Instant now) {
  recalls_.Remove(worker);
  strategy_->OnWorkerEvent({WorkerChange::kLost, worker}, now);
}

void StrategyDriver::RecallAnswered(WorkerId worker, RecallId recall, std::int64_t tasks,
                                    Instant now) {
  const auto answered = recalls_.TakeAnswered(worker, recall);
  if (!answered) return;
  if (tasks == 0) parts_.statistics.CountFailedRecall();
  if (tasks > 0 && answered->thief) {
    parts_.statistics.RecordLeasedMove(worker, answered->thief, tasks, now);
  }
  strategy_->OnWorkerEvent({WorkerChange::kRecallEnded, worker}, now);
}

void StrategyDriver::ExpireRecalls(Instant now) {
  for (const WorkerId worker : recalls_.TakeExpired(now)) {
    parts_.statistics.CountFailedRecall();
    strategy_->OnWorkerEvent({WorkerChange::kRecallEnded, worker}, now);
  }
}

// ---- Decisions ----

void StrategyDriver::Decide(Instant now) {
  for (bool again = true; again;) {
    again = false;
    for (const auto& decision : strategy_->Decide(now)) {
      std::visit([&](const auto& kind) { Execute(kind, now); }, decision);
      again = again || ChangesLeases(decision);
    }
    parts_.outbox.SendGrants();
    parts_.deliveries.NoteSent();
  }
}

// A task of the strategy never failed: failed ones are withheld, so its attempt is 0.
void StrategyDriver::Execute(const scheduling::GrantDecision& grant, Instant now) {
  const GrantId id =
      parts_.outbox.AddGrant(StreamOf(grant.worker), grant.range, /*copy=*/false, /*attempt=*/0);
  parts_.deliveries.NoteGrant(grant.worker, grant.range, now);
  parts_.ledger.Lease(grant.range, grant.worker, id, now);
  strategy_->OnWorkerEvent({WorkerChange::kLeased, grant.worker}, now);
}

void StrategyDriver::Execute(const scheduling::CopyDecision& copy, Instant now) {
  EVENKEEL_CHECK(idempotent_, "a copy of a task that must not run twice");
  const GrantId id =
      parts_.outbox.AddGrant(StreamOf(copy.worker), copy.range, /*copy=*/true, /*attempt=*/0);
  parts_.ledger.LeaseCopy(copy.range, copy.worker, id, now);
  parts_.statistics.CountCopy();
  strategy_->OnWorkerEvent({WorkerChange::kLeased, copy.worker}, now);
}

void StrategyDriver::Execute(const scheduling::DropCopiesDecision& drop, Instant now) {
  parts_.ledger.DropCopies(drop.worker, drop.range);
  parts_.outbox.SendCancel(StreamOf(drop.worker), {drop.range});
  strategy_->OnWorkerEvent({WorkerChange::kLeased, drop.worker}, now);
}

void StrategyDriver::Execute(const scheduling::RecallDecision& recall, Instant now) {
  const RecallId id = recalls_.Add(recall.worker, recall.thief, now);
  parts_.outbox.Send(StreamOf(recall.worker), Recall{id, recall.max_tasks, false});
}

void StrategyDriver::Execute(const scheduling::MoveDecision& move, Instant now) {
  parts_.statistics.RecordReservedMove(move.from, move.to, move.tasks, now);
}

void StrategyDriver::Execute(const scheduling::StageDecision& stage, Instant) {
  const auto same = [&](const scheduling::StageDecision& other) {
    return other.number == stage.number && other.start == stage.start;
  };
  const auto shown = std::find_if(stages_.rbegin(), stages_.rend(), same);
  if (shown != stages_.rend()) {
    *shown = stage;
  } else {
    stages_.push_back(stage);
  }
}

void StrategyDriver::RecallAll(StreamId stream) {
  parts_.outbox.Send(stream, Recall{recalls_.NextId(), parts_.ledger.TaskCount(), true});
}

StreamId StrategyDriver::StreamOf(WorkerId worker) const {
  const auto& stream = parts_.membership.At(worker).stream;
  EVENKEEL_CHECK(stream, "a decision for a worker that is not connected");
  return *stream;
}

// ---- Plans ----

std::vector<TimelineEvent> StrategyDriver::StageEvents(Instant now) const {
  std::vector<TimelineEvent> stages;
  for (const auto& stage : stages_) {
    TimelineEvent event;
    event.kind = stage.number > 0 ? TimelineEvent::Kind::kStage : TimelineEvent::Kind::kMaster;
    event.start = parts_.statistics.JobTime(stage.start);
    event.end = parts_.statistics.JobTime(stage.end.value_or(now));
    if (stage.number > 0) {
      event.detail = std::to_string(stage.number);
    } else {
      event.node = parts_.membership.At(stage.master).name;
    }
    stages.push_back(event);
  }
  return stages;
}

}  // namespace evenkeel::engine
