#include "core/engine/delivery_watch.h"

#include <algorithm>

namespace evenkeel::engine {

DeliveryWatch::State& DeliveryWatch::At(WorkerId worker) {
  if (worker.value >= states_.size()) states_.resize(worker.value + 1);
  return states_[worker.value];
}

void DeliveryWatch::NoteGrant(WorkerId worker, model::IndexRange tasks, Instant now) {
  State& state = At(worker);
  if (!state.completed) state.completed = now;
  if (state.grant && state.grant->message == messages_) {
    state.grant->tasks += tasks.Size();
    return;
  }
  const auto threads = static_cast<std::int64_t>(estimator_.Threads(worker));
  if (ledger_.OutstandingTasks(worker) >= threads) return;
  const auto leased = [&](model::TaskIndex task) {
    return ledger_.Leased(worker).Contains(model::IndexRange{task, task + 1});
  };
  if (state.grant && leased(state.grant->first)) return;  // still measured
  state.grant = Grant{tasks.begin, tasks.Size(), now, messages_};
}

void DeliveryWatch::NoteStart(WorkerId worker, model::IndexRange tasks, Instant started) {
  State& state = At(worker);
  if (!state.grant || state.grant->first != tasks.begin) return;
  const Duration delay = std::max(started - state.grant->sent, Duration::zero());
  estimator_.NoteDelivery(worker, delay, state.grant->tasks);
  state.grant.reset();
}

void DeliveryWatch::NoteCompleted(WorkerId worker, std::int64_t tasks, Instant now) {
  State& state = At(worker);
  if (state.completed) estimator_.NoteThroughput(worker, tasks, now - *state.completed);
  state.completed = now;
}

}  // namespace evenkeel::engine
