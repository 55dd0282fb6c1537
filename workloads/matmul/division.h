#pragma once

#include <cstdint>
#include <optional>

#include "core/base/error.h"
#include "core/model/index_range.h"
#include "workloads/data_blocks.h"
#include "workloads/matmul/element_type.h"

namespace evenkeel::workloads::matmul {

/// C (rows x columns) = A (rows x depth) x B (depth x columns).
struct ProductShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  ElementType type = ElementType::kFloat64;
};

/// A rectangular part of a matrix.
struct Window {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  [[nodiscard]] std::int64_t Elements() const { return rows * columns; }
  friend bool operator==(const Window&, const Window&) = default;
};

/// Sizes of tiles and blocks, in elements.
struct TileSizes {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;  ///< of one task; if less than the product's, results are partial sums
  std::int64_t chunk = 0;  ///< depth of one block, at most `depth`
  std::int64_t strip = 1;  ///< rows of tiles that are processed together, column by column
};

/// The part of C that one task computes.
struct Tile {
  Window c;                      ///< place of the result in C
  std::int64_t part = 0;         ///< index of the partial sum
  std::int64_t first_chunk = 0;  ///< the chunks of its depth: [first_chunk, end_chunk)
  std::int64_t end_chunk = 0;
  std::int64_t tile_row = 0;
  std::int64_t tile_column = 0;
  std::int64_t depth = 0;
};

/// whole / part, rounded up; both are positive.
[[nodiscard]] constexpr std::int64_t CeilDivide(std::int64_t whole, std::int64_t part) {
  return (whole - 1) / part + 1;
}

enum class Factor : std::uint8_t { kA, kB };

/// The 3D division of a product into tasks, and of its factors into blocks. A value.
///
/// Tasks are numbered by strip, then by part of the depth, then by column, then from top to bottom.
/// So a worker that runs consecutive tasks reuses the strip's rows of A, which fit into its memory,
/// and needs each column of B for one column of tasks only.
class Division {
 public:
  Division(const ProductShape& shape, const TileSizes& sizes);

  [[nodiscard]] const ProductShape& Shape() const { return shape_; }
  [[nodiscard]] const TileSizes& Sizes() const { return sizes_; }
  [[nodiscard]] std::int64_t TaskCount() const { return tile_rows_ * tile_columns_ * parts_; }
  /// Number of partial sums of each tile.
  [[nodiscard]] std::int64_t Parts() const { return parts_; }
  [[nodiscard]] std::int64_t TileRows() const { return tile_rows_; }
  [[nodiscard]] std::int64_t TileColumns() const { return tile_columns_; }
  [[nodiscard]] Tile TileOf(model::TaskIndex task) const;
  /// The place in C of the tile in this row and column of tiles.
  [[nodiscard]] Window WindowOf(std::int64_t tile_row, std::int64_t tile_column) const;

  /// The block of A for a row of tiles, or of B for a column of tiles, and one chunk of the depth.
  [[nodiscard]] BlockId BlockOf(Factor factor, std::int64_t tile, std::int64_t chunk) const;
  /// The part of A or B that a block is; nothing if there is no such block.
  struct BlockPlace {
    Factor factor = Factor::kA;
    Window window;
  };
  [[nodiscard]] std::optional<BlockPlace> PlaceOf(BlockId id) const;
  /// Depth of one chunk; 0 if there is no such chunk.
  [[nodiscard]] std::int64_t DepthOf(std::int64_t chunk) const { return ExtentOf(chunk).size; }
  /// Size of a block in bytes; 0 if there is no such block.
  [[nodiscard]] std::int64_t BytesOfBlock(BlockId id) const;

 private:
  struct Extent {
    std::int64_t begin = 0;
    std::int64_t size = 0;
  };
  [[nodiscard]] Extent ExtentOf(std::int64_t chunk) const;

  ProductShape shape_;
  TileSizes sizes_;
  std::int64_t tile_rows_;
  std::int64_t tile_columns_;
  std::int64_t parts_;
  std::int64_t chunks_of_part_;
};

/// How blocks are combined into tasks, after Melesio (2024), section 3.6.
enum class Aggregation : std::uint8_t {
  kAutomatic,  ///< tiles over the whole depth if they fit; blocks are cached as memory allows
  kNone,       ///< a block of A times a block of B; nothing is kept: 2 blocks in, 1 out
  kRow,        ///< a row of `factor` blocks times a column of as many; the row is kept: factor to 1
  kSquare,     ///< factor x factor blocks times as many; nothing else is kept: 2 to 1
  kByRows      ///< rows of A times all of B, which is kept, after Sanchez, Macias and Suarez
};

struct SizeLimits {
  /// Memory of a worker for blocks and results.
  std::int64_t memory_bytes = 0;
  /// Maximum number of concurrent tasks of a worker, which share its memory.
  std::int64_t threads = 4;
};

/// Maximum size of one task's result in bytes: it must fit into a message.
inline constexpr std::int64_t kMaxTileBytes = 8 << 20;
/// Maximum number of tasks; bounds the table of costs.
inline constexpr std::int64_t kMaxTasks = 1'000'000;

/// Chooses sizes by the product's shape and the worker's memory: some fifty tasks if they are then
/// large enough for the kernels, so that slow nodes can run a few and fast ones many. kInvalidInput
/// if the memory is too small for any sizes; the message has the required memory.
[[nodiscard]] Result<TileSizes> ChooseSizes(const ProductShape& shape, const SizeLimits& limits);

/// Sizes of the published patterns; `block` is the edge of a block in elements, with kByRows the
/// rows of a task. As above; also kInvalidInput for too many tasks or a result that is too large.
[[nodiscard]] Result<TileSizes> AggregatedSizes(const ProductShape& shape, Aggregation aggregation,
                                                std::int64_t block, std::int64_t factor,
                                                const SizeLimits& limits);

/// Minimum memory of a worker for tiles of these sizes with all threads busy: results, and blocks
/// that are in use or being fetched.
[[nodiscard]] std::int64_t MinWorkerMemory(const TileSizes& sizes, ElementType type,
                                           std::int64_t threads);

/// Completes sizes that the user gave: limits them to the shape and chooses chunk and strip. Errors
/// as of AggregatedSizes.
[[nodiscard]] Result<TileSizes> CompleteSizes(const ProductShape& shape, TileSizes sizes,
                                              const SizeLimits& limits);

}  // namespace evenkeel::workloads::matmul
