#include "simulator/simulated_journal.h"

#include <algorithm>
#include <utility>

namespace evenkeel::simulator {

SimulatedJournal::SimulatedJournal(SimulationContext& context, SimulatedTasks& tasks,
                                   OnDurable on_durable)
    : context_(context), tasks_(tasks), on_durable_(std::move(on_durable)) {}

void SimulatedJournal::Commit(engine::Persist batch) {
  Event event;
  event.target = this;
  event.detail = pending_.Put({process_, std::move(batch)});
  context_.time.At(context_.time.Now() + context_.config.commit_latency, event,
                   EventQueue::Lane::kCommits);
}

void SimulatedJournal::OnEvent(const Event& event) {
  const Pending pending = pending_.Take(event.detail);
  if (pending.process != process_) return;
  MakeDurable(pending.batch);
  on_durable_(pending.batch.batch);
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
