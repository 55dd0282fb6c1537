#include "simulator/simulated_journal.h"

#include <algorithm>
#include <utility>

namespace evenkeel::simulator {

SimulatedJournal::SimulatedJournal(SimulationContext& context, SimulatedTasks& tasks,
                                   CommitListener& listener)
    : context_(context), tasks_(tasks), listener_(listener) {}

void SimulatedJournal::Commit(engine::Persist batch) {
  Event event;
  event.target = this;
  event.detail = pending_.Put({process_, std::move(batch)});
  const Instant now = context_.time.Now();
  const Duration latency = now < slow_until_ ? slow_latency_ : context_.config.commit_latency;
  last_commit_ = std::max(last_commit_, now + latency);
  context_.time.At(last_commit_, event, EventQueue::Lane::kCommits);
}

void SimulatedJournal::SlowDown(Duration latency, Instant until) {
  slow_latency_ = latency;
  slow_until_ = until;
}

void SimulatedJournal::OnEvent(const Event& event) {
  const Pending pending = pending_.Take(event.detail);
  if (pending.process != process_) return;
  if (std::exchange(fails_next_, false)) {
    DropPending();
    return listener_.OnCommitFailed("the disk failed");
  }
  MakeDurable(pending.batch);
  listener_.OnDurable(pending.batch.batch);
}

void SimulatedJournal::MakeDurable(const engine::Persist& batch) {
  for (const auto& record : batch.results) {
    tasks_.CountDurable(record);
    if (context_.config.recorder.on_result) context_.config.recorder.on_result(record);
    completed_.Insert(record.range);
    active_ = std::max(active_, record.ended);
  }
  for (const auto& failure : batch.failures) failures_.push_back(failure);
}

}  // namespace evenkeel::simulator
