#include "core/engine/strategy_driver.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "core/base/check.h"

namespace evenkeel::engine {

using model::IndexRange;
using model::TimelineEvent;
using scheduling::WorkerId;

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
  const auto& members = parts_.membership.Members();
  const bool weightless = std::none_of(members.begin(), members.end(),
                                       [](const Member& member) { return member.ratio > 0; });
  std::vector<scheduling::WorkerFacts> facts;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    facts.push_back({weightless ? 1.0 : members[i].ratio, parts_.statistics.Node({i}).power});
  }
  strategy_->Start(facts, todo, now);
  NoteShares();
}

void StrategyDriver::Append(IndexRange range, Instant now) {
  strategy_->Append(range, now);
  NoteShares();
}

void StrategyDriver::AddWorker(WorkerId worker, double ratio, Instant now) {
  strategy_->AddWorker(worker, {ratio}, now);
}

void StrategyDriver::NoteShares() {
  const auto& shares = strategy_->PlannedShares();
  for (std::uint32_t i = 0; i < parts_.membership.Size(); ++i) {
    parts_.statistics.Node({i}).share = shares[i];
  }
}

void StrategyDriver::WorkerLost(WorkerId worker, Instant now) {
  recalls_.Remove(worker);
  strategy_->WorkerLost(worker, now);
}

void StrategyDriver::RecallAnswered(WorkerId worker, RecallId recall, std::int64_t tasks,
                                    Instant now) {
  const auto answered = recalls_.TakeAnswered(worker, recall);
  if (!answered) return;
  if (tasks == 0) parts_.statistics.CountFailedRecall();
  if (tasks > 0 && answered->thief) {
    parts_.statistics.RecordLeasedMove(worker, answered->thief, tasks, now);
  }
  strategy_->RecallEnded(worker, now);
}

void StrategyDriver::ExpireRecalls(Instant now) {
  for (const WorkerId worker : recalls_.TakeExpired(now)) {
    parts_.statistics.CountFailedRecall();
    strategy_->RecallEnded(worker, now);
  }
}

// ---- Decisions ----

void StrategyDriver::Decide(Instant now) {
  for (;;) {
    const auto decisions = strategy_->Decide(now);
    if (decisions.empty()) break;
    for (const auto& decision : decisions) {
      std::visit([&](const auto& kind) { Execute(kind, now); }, decision);
    }
    parts_.outbox.SendGrants();
  }
  for (const auto& move : strategy_->TakeMoves()) {
    parts_.statistics.RecordReservedMove(move.from, move.to, move.tasks, move.at);
  }
}

// A task of the strategy never failed: failed ones are withheld, so its attempt is 0.
void StrategyDriver::Execute(const scheduling::GrantDecision& grant, Instant now) {
  const GrantId id =
      parts_.outbox.AddGrant(StreamOf(grant.worker), grant.range, /*copy=*/false, /*attempt=*/0);
  parts_.ledger.Lease(grant.range, grant.worker, id, now);
  strategy_->Touch(grant.worker, now);
}

void StrategyDriver::Execute(const scheduling::CopyDecision& copy, Instant now) {
  EVENKEEL_CHECK(idempotent_, "a copy of a task that must not run twice");
  const GrantId id =
      parts_.outbox.AddGrant(StreamOf(copy.worker), copy.range, /*copy=*/true, /*attempt=*/0);
  parts_.ledger.LeaseCopy(copy.range, copy.worker, id, now);
  parts_.statistics.CountCopy();
  strategy_->Touch(copy.worker, now);
}

void StrategyDriver::Execute(const scheduling::RecallDecision& recall, Instant now) {
  const RecallId id = recalls_.Add(recall.worker, recall.thief, now);
  parts_.outbox.Send(StreamOf(recall.worker), Recall{id, recall.max_tasks, false});
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
  for (const auto& stage : strategy_->Stages(now)) {
    TimelineEvent event;
    event.kind = stage.number > 0 ? TimelineEvent::Kind::kStage : TimelineEvent::Kind::kMaster;
    event.start = parts_.statistics.JobTime(stage.start);
    event.end = parts_.statistics.JobTime(stage.end);
    if (stage.number > 0) {
      event.detail = std::to_string(stage.number);
    } else {
      event.node = parts_.membership.At(stage.master).name;
    }
    stages.push_back(event);
  }
  return stages;
}

void StrategyDriver::CheckInvariants() const {
  EVENKEEL_CHECK(strategy_->PoolSize() == parts_.ledger.Count(TaskState::kUnassigned),
                 "the strategy's tasks are not the unassigned ones");
}

}  // namespace evenkeel::engine
