// World: streams, and how long messages take.
#include <algorithm>

#include "simulator/world.h"

namespace evenkeel::simulator {
namespace {

// A stream that waits for longer than this before it sends once more is as good as cut.
constexpr Duration kLongestPause = std::chrono::seconds(60);

Duration TimeOnLink(double bytes, double bytes_per_second) {
  if (bytes_per_second <= 0) return Duration::zero();
  return FromSeconds(bytes / bytes_per_second);
}

}  // namespace

World::Stream* World::OpenStream(engine::StreamId stream) {
  const bool known = stream.value >= 1 && stream.value <= streams_.size();
  if (!known) return nullptr;
  Stream& found = streams_[static_cast<std::size_t>(stream.value - 1)];
  return found.open ? &found : nullptr;
}

Instant World::Arrival(Direction& direction, Instant sent) {
  Instant at = sent + direction.latency + Delay();
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

World::Cargo World::CargoOf(const engine::ToWorker& message) const {
  Cargo cargo;
  if (const auto* assign = std::get_if<engine::Assign>(&message)) {
    for (const auto& grant : assign->grants) cargo.tasks += grant.range.Size();
  }
  cargo.bytes = static_cast<double>(cargo.tasks) * config_.input_bytes;
  return cargo;
}

World::Cargo World::CargoOf(const engine::ToCoordinator& message) const {
  std::int64_t tasks = 0;
  if (const auto* report = std::get_if<engine::Report>(&message)) {
    for (const auto& done : report->completed) tasks += done.range.Size();
  }
  return {static_cast<double>(tasks) * config_.result_bytes, 0};
}

Instant World::Worked(const Cargo& cargo, double seconds_a_byte, Instant from) {
  const CoordinatorModel& model = config_.coordinator;
  double seconds = model.seconds_a_message + cargo.bytes * seconds_a_byte +
                   static_cast<double>(cargo.tasks) * model.seconds_a_task;
  outcome_.coordinator_bytes += cargo.bytes;
  if (seconds <= 0) return from;
  if (model.exponential) seconds = rng_.Exponential(seconds);
  outcome_.coordinator_seconds += seconds;
  return machine_.busy_until = std::max(from, machine_.busy_until) + FromSeconds(seconds);
}

World::Hop World::OnLinkOf(std::size_t node, Direction& direction, double bytes) {
  return {config_.network.shared_medium ? medium_busy_until_ : direction.sent_until,
          TimeOnLink(bytes, config_.nodes[node].link_bytes_per_second)};
}

World::Hop World::OnLinkOfCoordinator(Instant& busy_until, double bytes) const {
  return {busy_until, TimeOnLink(bytes, config_.coordinator.link_bytes_per_second)};
}

// They begin to pass the second link as soon as they begin to pass the first.
Instant World::Through(const Hop& first, const Hop& second, Instant from) {
  Instant through = from;
  for (const Hop& hop : {first, second}) {
    if (hop.lasts <= Duration::zero()) continue;
    through = std::max(through, std::max(from, hop.busy_until) + hop.lasts);
    hop.busy_until = through;
  }
  return through;
}

Instant World::Left(std::size_t node, Direction& down, const Cargo& cargo) {
  const Instant ready = Worked(cargo, config_.coordinator.seconds_a_byte_sent, now_);
  return Through(OnLinkOfCoordinator(machine_.sent_until, cargo.bytes),
                 OnLinkOf(node, down, cargo.bytes), ready);
}

}  // namespace evenkeel::simulator
