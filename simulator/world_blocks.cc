// World: blocks of data that several tasks need, and that workers keep.
#include <algorithm>

#include "simulator/world.h"

namespace evenkeel::simulator {

using engine::StreamId;

// Blocks of rows have even numbers, those of columns odd ones.
Instant World::BlocksOf(std::size_t node, model::IndexRange tasks) {
  Instant there = now_;
  if (!config_.blocks) return there;
  const BlockModel& blocks = *config_.blocks;
  for (model::TaskIndex i = tasks.begin; i < tasks.end; ++i) {
    there = std::max(there, Fetch(node, 2 * (i / blocks.columns), blocks.row_bytes));
    there = std::max(there, Fetch(node, 2 * (i % blocks.columns) + 1, blocks.column_bytes));
  }
  return there;
}

// As workers of matmul do: the coordinator sends each block once and then says who has it.
Instant World::Fetch(std::size_t node, std::int64_t block, double bytes) {
  const auto [known, missing] = blocks_[node].try_emplace(block);
  if (!missing) return known->second;
  auto& holders = holders_[block];
  const auto waiting = [&](std::size_t holder) {
    const Stream* const open = OpenStream(processes_[holder].stream.value_or(StreamId{}));
    if (!open) return kNever;
    return std::max(blocks_[holder].at(block), open->up.sent_until);
  };
  const auto best = std::min_element(
      holders.begin(), holders.end(),
      [&](std::size_t one, std::size_t other) { return waiting(one) < waiting(other); });
  const bool nobody =
      !config_.blocks->between_workers || best == holders.end() || waiting(*best) == kNever;
  known->second = nobody ? FromCoordinator(node, bytes) : FromWorker(*best, node, block, bytes);
  holders.push_back(node);
  return known->second;
}

Instant World::FromCoordinator(std::size_t node, double bytes) {
  Stream* const open = OpenStream(processes_[node].stream.value_or(StreamId{}));
  if (!open) return now_;
  Direction& down = open->down;
  const Instant asked = now_ + down.latency;
  const Instant ready = Worked({bytes, 0}, config_.coordinator.seconds_a_byte_sent, asked);
  return Through(OnLinkOfCoordinator(machine_.sent_until, bytes), OnLinkOf(node, down, bytes),
                 ready) +
         down.latency;
}

// To the coordinator and back, then to the holder and back.
Instant World::FromWorker(std::size_t holder, std::size_t node, std::int64_t block, double bytes) {
  Stream* const from = OpenStream(*processes_[holder].stream);  // Fetch() has looked
  Stream* const to = OpenStream(processes_[node].stream.value_or(StreamId{}));
  if (!to) return now_;
  Direction& up = from->up;
  Direction& down = to->down;
  const Instant told = Worked({}, 0, now_ + down.latency) + down.latency;
  const Duration way = up.latency + down.latency;
  const Instant ready = std::max(told + way, blocks_[holder].at(block));
  return Through(OnLinkOf(holder, up, bytes), OnLinkOf(node, down, bytes), ready) + way;
}

void World::DropBlocks(std::size_t node) {
  for (const auto& [block, there] : blocks_[node]) std::erase(holders_[block], node);
  blocks_[node].clear();
}

}  // namespace evenkeel::simulator
