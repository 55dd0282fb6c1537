#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/model/index_range.h"
#include "simulator/network.h"
#include "simulator/simulation_context.h"

namespace evenkeel::simulator {

/// The blocks of data that tasks need, and the nodes that keep them. The coordinator sends each
/// block once if workers pass blocks on; after that it says who has the block. Not thread-safe.
class DataBlocks {
 public:
  /// Both must outlive it.
  DataBlocks(const SimulationContext& context, Network& network);

  /// When all blocks that these tasks need are at the node; missing ones are requested now.
  [[nodiscard]] Instant Request(std::size_t node, model::IndexRange tasks);
  /// The node's process died, and its blocks with it.
  void Drop(std::size_t node);

 private:
  // Blocks of rows have even numbers, blocks of columns odd ones.
  using BlockNumber = std::int64_t;

  [[nodiscard]] Instant Fetch(std::size_t node, BlockNumber block, double bytes);
  /// When the holder could begin to send the block; kNever if it is not connected.
  [[nodiscard]] Instant FreeToSend(std::size_t holder, BlockNumber block);

  const SimulationContext& context_;
  Network& network_;
  std::vector<std::map<BlockNumber, Instant>> arrivals_;     // of each node
  std::map<BlockNumber, std::vector<std::size_t>> holders_;  // in the order of their requests
};

}  // namespace evenkeel::simulator
