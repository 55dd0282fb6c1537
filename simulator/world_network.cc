// World: streams, and how long messages take.
#include <algorithm>

#include "simulator/world.h"

namespace evenkeel::simulator {
namespace {

// A stream that waits for longer than this before it sends once more is as good as cut.
constexpr Duration kLongestPause = std::chrono::seconds(60);

Duration TimeOnLink(std::int64_t tasks, double bytes_a_task, double bytes_per_second) {
  if (bytes_per_second <= 0) return Duration::zero();
  return FromSeconds(static_cast<double>(tasks) * bytes_a_task / bytes_per_second);
}

}  // namespace

World::Stream* World::OpenStream(engine::StreamId stream) {
  const bool known = stream.value >= 1 && stream.value <= streams_.size();
  if (!known) return nullptr;
  Stream& found = streams_[static_cast<std::size_t>(stream.value - 1)];
  return found.open ? &found : nullptr;
}

Instant World::Arrival(Direction& direction, Duration transfer) {
  Instant at = now_;
  if (transfer > Duration::zero()) {
    Instant& busy_until = config_.network.shared_medium ? medium_busy_until_ : direction.sent_until;
    busy_until = at = std::max(now_, busy_until) + transfer;
  }
  at += direction.latency + Delay();
  if (!direction.used) direction.first_arrival = at;
  at = std::max(at, config_.network.ordered ? direction.last_arrival : direction.first_arrival);
  direction.used = true;
  direction.last_arrival = std::max(direction.last_arrival, at);
  return at;
}

Duration World::Delay() {
  Duration delay{};
  if (config_.network.jitter > Duration::zero()) {
    delay += FromSeconds(rng_.Exponential(ToSeconds(config_.network.jitter)));
  }
  if (config_.network.loss <= 0) return delay;
  for (Duration pause = config_.network.retransmit_after; rng_.Chance(config_.network.loss);
       pause *= 2) {
    if (pause > kLongestPause) break;
    delay += pause;
  }
  return delay;
}

Duration World::TransferTime(std::size_t node, const engine::ToWorker& message) const {
  std::int64_t tasks = 0;
  if (const auto* assign = std::get_if<engine::Assign>(&message)) {
    for (const auto& grant : assign->grants) tasks += grant.range.Size();
  }
  return TimeOnLink(tasks, config_.input_bytes, config_.nodes[node].link_bytes_per_second);
}

Duration World::TransferTime(std::size_t node, const engine::ToCoordinator& message) const {
  std::int64_t tasks = 0;
  if (const auto* report = std::get_if<engine::Report>(&message)) {
    for (const auto& done : report->completed) tasks += done.range.Size();
  }
  return TimeOnLink(tasks, config_.result_bytes, config_.nodes[node].link_bytes_per_second);
}

}  // namespace evenkeel::simulator
