#pragma once

#include <cstdint>

#include "core/scheduling/chunks/loop_state.h"

namespace evenkeel::scheduling {

/// Factoring's batches: a size is fixed for P chunks in a row, then it is worked out anew.
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

}  // namespace evenkeel::scheduling
