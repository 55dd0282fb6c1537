#include "simulator/data_blocks.h"

#include <algorithm>

namespace evenkeel::simulator {

DataBlocks::DataBlocks(const SimulationContext& context, Network& network)
    : context_(context), network_(network), arrivals_(context.config.nodes.size()) {}

Instant DataBlocks::Request(std::size_t node, model::IndexRange tasks) {
  Instant complete = context_.time.Now();
  if (!context_.config.blocks) return complete;
  const BlockModel& blocks = *context_.config.blocks;
  for (model::TaskIndex i = tasks.begin; i < tasks.end; ++i) {
    complete = std::max(complete, Fetch(node, 2 * (i / blocks.columns), blocks.row_bytes));
    complete = std::max(complete, Fetch(node, 2 * (i % blocks.columns) + 1, blocks.column_bytes));
  }
  return complete;
}

Instant DataBlocks::Fetch(std::size_t node, BlockNumber block, double bytes) {
  const auto [known, missing] = arrivals_[node].try_emplace(block);
  if (!missing) return known->second;
  auto& holders = holders_[block];
  const auto best =
      std::min_element(holders.begin(), holders.end(), [&](std::size_t one, std::size_t other) {
        return FreeToSend(one, block) < FreeToSend(other, block);
      });
  const bool from_worker = context_.config.blocks->between_workers && best != holders.end() &&
                           FreeToSend(*best, block) != kNever;
  known->second = from_worker
                      ? network_.BlockFromWorker(*best, node, bytes, arrivals_[*best].at(block))
                      : network_.BlockFromCoordinator(node, bytes);
  holders.push_back(node);
  return known->second;
}

Instant DataBlocks::FreeToSend(std::size_t holder, BlockNumber block) {
  const Instant free = network_.UplinkFreeAt(holder);
  return free == kNever ? kNever : std::max(arrivals_[holder].at(block), free);
}

void DataBlocks::Drop(std::size_t node) {
  for (const auto& [block, arrival] : arrivals_[node]) std::erase(holders_[block], node);
  arrivals_[node].clear();
}

}  // namespace evenkeel::simulator
