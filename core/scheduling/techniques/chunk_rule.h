#pragma once

#include <cstdint>
#include <memory>

#include "core/scheduling/techniques/loop_state.h"

namespace evenkeel::scheduling {

/// Dynamic loop self-scheduling: an idle worker asks for work, and a rule chooses how many tasks it
/// gets. docs/techniques.md lists the rules with their formulas and sources. Symbols: N tasks, P
/// workers, R tasks remaining, w_i weight of worker i with sum P, mu and sigma mean and standard
/// deviation of the time of a task, h the time to hand out a chunk. A rule may keep state between
/// calls. Not thread-safe.
class ChunkRule {
 public:
  virtual ~ChunkRule() = default;
  /// The size of the next chunk, for a worker that asks while `remaining` > 0 tasks are left. The
  /// caller clamps it to 1..`remaining`.
  [[nodiscard]] virtual std::int64_t Next(const LoopState& loop, WorkerId worker,
                                          std::int64_t remaining) = 0;
};

using ChunkRulePtr = std::unique_ptr<ChunkRule>;

}  // namespace evenkeel::scheduling
