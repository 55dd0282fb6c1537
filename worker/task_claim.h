#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/time.h"
#include "core/model/index_range.h"

namespace evenkeel::worker {

/// Which tasks of a batch its thread may still start. The thread claims each task before it starts
/// it; the worker's loop may cut the batch at any time, and what was not claimed by then never
/// starts. One thread claims, one cuts; neither waits for the other.
class TaskClaim {
 public:
  /// Starts a batch of less than 2^32 tasks that no thread runs yet.
  void Reset(model::IndexRange range);

  /// True if the thread may start the next task of the batch. Costs a few nanoseconds.
  [[nodiscard]] bool ClaimNext() {
    const std::uint64_t before = limit_and_claimed_.fetch_add(1, std::memory_order_acq_rel);
    return Claimed(before) < Limit(before);
  }
  /// Takes back the tasks that were not claimed, perhaps none. To be called once per batch.
  [[nodiscard]] model::IndexRange Cut(Instant now);
  /// When the batch was cut; kNever if it was not. The task claimed last had started by then.
  [[nodiscard]] Instant CutAt() const {
    return Instant(Duration(cut_at_.load(std::memory_order_acquire)));
  }

 private:
  static std::uint64_t Limit(std::uint64_t word) { return word >> 32; }
  static std::uint64_t Claimed(std::uint64_t word) { return word & 0xffffffffU; }

  model::TaskIndex begin_ = 0;
  // Upper half: number of tasks that may be claimed. Lower half: number of claims.
  std::atomic<std::uint64_t> limit_and_claimed_{0};
  std::atomic<std::int64_t> cut_at_{kNever.time_since_epoch().count()};
};

}  // namespace evenkeel::worker
