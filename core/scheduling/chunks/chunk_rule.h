#pragma once

#include <cstdint>
#include <memory>

#include "core/scheduling/chunks/loop_state.h"

/// Dynamic loop self-scheduling: whoever has nothing to do asks, and a rule says how many tasks it
/// gets. docs/techniques.md has all of them, with their formulas and sources. Symbols: N tasks, P
/// workers, R tasks remaining, w_i weight of worker i with sum P, mu and sigma mean and standard
/// deviation of the time of a task, h the time that it takes to hand out a chunk.
namespace evenkeel::scheduling {

/// The size of the next chunk. May remember what it said before. Not thread-safe.
class ChunkRule {
 public:
  virtual ~ChunkRule() = default;
  /// For a worker that asks while `remaining` > 0 tasks are left. Whoever asks keeps the answer
  /// between 1 and `remaining`.
  [[nodiscard]] virtual std::int64_t Next(const LoopState& loop, WorkerId worker,
                                          std::int64_t remaining) = 0;
};

using ChunkRulePtr = std::unique_ptr<ChunkRule>;

/// The time that counts for adaptive weights: in tasks alone, or from request to request.
enum class WeighedTime { kBusy, kAll };

[[nodiscard]] ChunkRulePtr MakeStaticChunking();             // STATIC
[[nodiscard]] ChunkRulePtr MakeSelfScheduling();             // SS
[[nodiscard]] ChunkRulePtr MakeFixedSizeChunking();          // FSC
[[nodiscard]] ChunkRulePtr MakeModifiedFixedSizeChunking();  // mFSC
[[nodiscard]] ChunkRulePtr MakeGuidedSelfScheduling();       // GSS
[[nodiscard]] ChunkRulePtr MakeTrapezoidSelfScheduling();    // TSS
[[nodiscard]] ChunkRulePtr MakeFactoring();                  // FAC
[[nodiscard]] ChunkRulePtr MakePracticalFactoring();         // FAC2
[[nodiscard]] ChunkRulePtr MakeWeightedFactoring();          // WF
/// AWF; weights change after each of `steps` >= 1 equal parts of the tasks.
[[nodiscard]] ChunkRulePtr MakeSteppedWeightedFactoring(std::int64_t steps);
[[nodiscard]] ChunkRulePtr MakeBatchWeightedFactoring(WeighedTime time);  // AWF-B, AWF-D
[[nodiscard]] ChunkRulePtr MakeChunkWeightedFactoring(WeighedTime time);  // AWF-C, AWF-E
[[nodiscard]] ChunkRulePtr MakeAdaptiveFactoring();                       // AF
[[nodiscard]] ChunkRulePtr MakeRandomChunks(std::uint64_t seed);          // RAND

}  // namespace evenkeel::scheduling
