#pragma once

#include <cstdint>

#include "core/base/error.h"
#include "workloads/matmul/division.h"

namespace evenkeel::workloads::matmul {

/// How the tasks of a product are put together, after Melesio (2024), section 3.6.
enum class Aggregation : std::uint8_t {
  kAutomatic,  ///< tiles over the whole depth where that fits; memory holds what it can
  kNone,       ///< a block of A times a block of B; nothing is kept: 2 blocks in, 1 out
  kRow,        ///< a row of `factor` blocks times a column of as many; the row is kept: factor to 1
  kSquare,     ///< factor x factor blocks times as many; nothing else is kept: 2 to 1
  kByRows      ///< rows of A times all of B, which is kept, after Sanchez, Macias and Suarez
};

struct SizeLimits {
  /// What a worker may use for blocks and results.
  std::int64_t memory_bytes = 0;
  /// Tasks that a worker may run at a time; its memory is shared among them.
  std::int64_t threads = 4;
};

/// The largest result of one task in bytes: it has to fit into a message.
inline constexpr std::int64_t kMaxTileBytes = 8 << 20;
/// As far as costs, which are kept task by task, are reasonable.
inline constexpr std::int64_t kMaxTasks = 1'000'000;

/// Sizes by the product's shape and what a worker's memory holds: some fifty tasks where that
/// leaves them large enough for the kernels, so that slow nodes can have a few and fast ones many.
/// kInvalidInput if the memory is too small for any; the message says how much is needed.
[[nodiscard]] Result<TileSizes> ChooseSizes(const ProductShape& shape, const SizeLimits& limits);

/// Sizes of the published patterns; `block` is the edge of a block in elements, with kByRows the
/// rows of a task. As above; also kInvalidInput for too many tasks or a result that is too large.
[[nodiscard]] Result<TileSizes> AggregatedSizes(const ProductShape& shape, Aggregation aggregation,
                                                std::int64_t block, std::int64_t factor,
                                                const SizeLimits& limits);

/// What a worker needs at least, with all threads at work, for tiles of these sizes: results, and
/// blocks in use and on their way.
[[nodiscard]] std::int64_t LeastMemory(const TileSizes& sizes, ElementType type,
                                       std::int64_t threads);

/// Sizes given by the user, made to fit the shape, with chunk and strip chosen. As above.
[[nodiscard]] Result<TileSizes> CompleteSizes(const ProductShape& shape, TileSizes sizes,
                                              const SizeLimits& limits);

}  // namespace evenkeel::workloads::matmul
