// Coordinator: tasks that failed before, and what the job's policies say of them.
#include <algorithm>
#include <numeric>

#include "core/engine/coordinator.h"
#include "core/scheduling/predicted_time.h"

namespace evenkeel::engine {

using model::IndexRange;
using scheduling::WorkerId;

namespace {

// Of tasks that wait for a place, so many are looked at in one call; then it is the others' turn.
constexpr std::size_t kMaxLooks = 256;
// A worker takes a retry if it will be through with what it has within so many report intervals,
// which is about what a strategy leases ahead.
constexpr int kReportsAhead = 3;

}  // namespace

void Coordinator::Remember(const std::vector<model::FailureRecord>& failures, Instant now) {
  for (const auto& failure : failures) {
    if (completed_.Contains(failure.index) || retries_.Failed().Contains(failure.index)) continue;
    const auto fate = retries_.CountFailure(failure.index, failure.node, failure.exit_code);
    if (!failure.final) continue;
    retries_.GiveUp(failure.index, failure.node, failure.reason);
    if (fate == RetryBook::Fate::kFailsJob && fails_job_.empty()) {
      fails_job_ = WhyJobFails(failure.index, failure.node, failure.exit_code);
    }
  }
  for (const IndexRange range : retries_.Open().Ranges()) {
    for (auto i = range.begin; i < range.end; ++i) retries_.TryLater(i, now);
  }
  durable_failed_ = retries_.Failed().Size();
}

std::string Coordinator::WhyJobFails(model::TaskIndex index, const std::string& node,
                                     std::optional<std::int32_t> exit_code) {
  return "task " + std::to_string(index) + " ended with exit code " +
         std::to_string(exit_code.value_or(0)) + " on " + node +
         ": FailJob by spec.taskPolicy.onExitCodes";
}

void Coordinator::PlaceRetries(Instant now, Effects& effects) {
  retries_.Update(now);
  if (retries_.DueCount() == 0) return;
  std::vector<WorkerId> with_room = WithRoom(now);
  Assigns assigns;
  std::vector<model::TaskIndex> kept;
  for (std::size_t looks = 0; looks < kMaxLooks && !with_room.empty(); ++looks) {
    const auto index = retries_.TakeDue();
    if (!index) break;
    const auto worker = PlaceFor(*index, with_room, now);
    if (!worker) {
      kept.push_back(*index);
      continue;
    }
    const GrantId id{next_grant_++};
    const IndexRange one{*index, *index + 1};
    leases_.LeaseRetry(*worker, one, id, now);
    assigns.For(*At(*worker).stream).grants.push_back(MakeGrant(id, one, false));
    strategy_->Touch(*worker, now);
    if (!HasRoom(*worker, now)) std::erase(with_room, *worker);
  }
  for (const model::TaskIndex index : kept) retries_.Return(index);
  for (auto& [stream, assign] : assigns.in_order) Send(stream, std::move(assign), effects);
}

std::optional<WorkerId> Coordinator::PlaceFor(model::TaskIndex index,
                                              const std::vector<WorkerId>& with_room,
                                              Instant now) const {
  const bool fresh_only = SomebodyIsFresh(index);
  const bool elsewhere = std::any_of(streams_.begin(), streams_.end(), [&](const auto& stream) {
    return !retries_.FailedLastOn(index, At(stream.second).name);
  });
  const auto cost = static_cast<double>(config_.costs->Of({index, index + 1}));
  std::optional<WorkerId> best;
  Instant best_end{};
  for (const WorkerId worker : with_room) {
    const std::string& name = At(worker).name;
    if (fresh_only ? retries_.FailedOn(index, name)
                   : elsewhere && retries_.FailedLastOn(index, name)) {
      continue;
    }
    const Instant end =
        Ready(worker, now) + scheduling::PredictedTime(cost / estimator_.ThreadRate(worker));
    if (best && best_end <= end) continue;
    best = worker;
    best_end = end;
  }
  return best;
}

// A node that has not come yet, or is away, is waited for until its lease is over: the first board
// of a cluster to come may be the one on which all fail.
bool Coordinator::SomebodyIsFresh(model::TaskIndex index) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
    return !node.lost && !retries_.FailedOn(index, node.name);
  });
}

std::vector<WorkerId> Coordinator::WithRoom(Instant now) const {
  std::vector<WorkerId> workers;
  for (const auto& [stream, worker] : streams_) {
    if (HasRoom(worker, now)) workers.push_back(worker);
  }
  return workers;
}

bool Coordinator::HasRoom(WorkerId worker, Instant now) const {
  const auto threads = static_cast<std::int64_t>(estimator_.Threads(worker));
  if (leases_.OutstandingTasks(worker) < 2 * threads) return true;
  return estimator_.Measured(worker) &&
         Ready(worker, now) - now < kReportsAhead * config_.report_interval;
}

Instant Coordinator::Ready(WorkerId worker, Instant now) const {
  const auto cost = static_cast<double>(leases_.OutstandingCost(worker));
  if (leases_.OutstandingTasks(worker) == 0) return now;
  return std::max(now, leases_.WorkingSince(worker) +
                           scheduling::PredictedTime(cost / estimator_.Rate(worker)));
}

std::int64_t Coordinator::Wanted(IndexRange range) const {
  const auto parts = wanted_.Within(range);
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
                         [](std::int64_t sum, IndexRange part) { return sum + part.Size(); });
}

std::int64_t Coordinator::WantedCount() const {
  return config_.job.task_policy.success.succeeded_count.value_or(wanted_.Size());
}

bool Coordinator::SuccessPolicyMet() const {
  return config_.job.task_policy.success.Any() && durable_wanted_ >= WantedCount();
}

}  // namespace evenkeel::engine
