#pragma once

#include <cmath>
#include <cstdint>

#include "core/scheduling/techniques/chunk_rule.h"

/// Factoring: batches of P chunks, each batch a part of the remaining tasks.
namespace evenkeel::scheduling {

/// Factoring's batches: the size is computed once for P chunks in a row.
class Batch {
 public:
  /// Counts a chunk; true if it is the first one of a batch.
  [[nodiscard]] bool Begins(const LoopState& loop) {
    if (left_ > 0) {
      --left_;
      return false;
    }
    left_ = loop.Workers() - 1;
    return true;
  }

 private:
  std::int64_t left_ = 0;
};

/// floor(w c + 0.55), the rounding of the implementations by Carino and Banicescu.
[[nodiscard]] inline std::int64_t WeightedChunk(double weight, std::int64_t chunk) {
  return static_cast<std::int64_t>(std::floor(weight * static_cast<double>(chunk) + 0.55));
}

[[nodiscard]] ChunkRulePtr MakeFactoring();           // FAC
[[nodiscard]] ChunkRulePtr MakePracticalFactoring();  // FAC2
[[nodiscard]] ChunkRulePtr MakeWeightedFactoring();   // WF

}  // namespace evenkeel::scheduling
