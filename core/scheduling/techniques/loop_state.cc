#include "core/scheduling/techniques/loop_state.h"

#include <algorithm>

namespace evenkeel::scheduling {

void LoopState::AddWorker(double weight) {
  workers_.push_back({std::max(weight, 0.0), true, {}, {}});
  weight_sum_ += workers_.back().weight;
  ++alive_;
}

void LoopState::SetAlive(WorkerId worker, bool alive) {
  Worker& state = workers_[worker.value];
  if (state.alive == alive) return;
  state.alive = alive;
  alive_ += alive ? 1 : -1;
  weight_sum_ += alive ? state.weight : -state.weight;
}

void LoopState::Observe(WorkerId worker, std::int64_t tasks, double seconds) {
  workers_[worker.value].times.Observe(tasks, seconds);
  times_.Observe(tasks, seconds);
}

void LoopState::EndChunk(WorkerId worker, std::int64_t tasks, double busy_seconds,
                         double all_seconds) {
  ChunkHistory& chunks = workers_[worker.value].chunks;
  const auto k = static_cast<double>(++chunks.chunks);
  chunks.tasks += k * static_cast<double>(tasks);
  chunks.busy_seconds += k * busy_seconds;
  chunks.all_seconds += k * all_seconds;
}

double LoopState::Weight(WorkerId worker) const {
  if (weight_sum_ <= 0) return 1;
  return workers_[worker.value].weight * static_cast<double>(Workers()) / weight_sum_;
}

}  // namespace evenkeel::scheduling
