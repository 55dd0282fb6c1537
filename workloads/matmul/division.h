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

/// A rectangle of a matrix.
struct Window {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  [[nodiscard]] std::int64_t Elements() const { return rows * columns; }
  friend bool operator==(const Window&, const Window&) = default;
};

/// How large the pieces are.
struct TileSizes {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;  ///< of one task; less than the product's: results are partial sums
  std::int64_t chunk = 0;  ///< depth of one block, at most `depth`
  std::int64_t strip = 1;  ///< rows of tiles that are gone through together, column by column
};

/// What a task computes.
struct Tile {
  Window c;                      ///< where its result belongs
  std::int64_t part = 0;         ///< which of the partial sums there
  std::int64_t first_chunk = 0;  ///< its depth is that of chunks [first_chunk, end_chunk)
  std::int64_t end_chunk = 0;
  std::int64_t tile_row = 0;
  std::int64_t tile_column = 0;
  std::int64_t depth = 0;
};

/// Of positive numbers, rounded up.
[[nodiscard]] constexpr std::int64_t CeilDivide(std::int64_t whole, std::int64_t part) {
  return (whole - 1) / part + 1;
}

enum class Factor : std::uint8_t { kA, kB };

/// The 3D division of a product into tasks, and of its factors into blocks. A plain value.
///
/// Tasks are numbered strip by strip; in a strip part by part of the depth, column by column, and
/// in a column from top to bottom. So a worker that runs neighbouring tasks needs the strip's rows
/// of A again and again, which fit into its memory, and each column of B for one column of tasks
/// only.
class Division {
 public:
  Division(const ProductShape& shape, const TileSizes& sizes);

  [[nodiscard]] const ProductShape& Shape() const { return shape_; }
  [[nodiscard]] const TileSizes& Sizes() const { return sizes_; }
  [[nodiscard]] std::int64_t TaskCount() const { return tile_rows_ * tile_columns_ * parts_; }
  /// Partial sums of each tile.
  [[nodiscard]] std::int64_t Parts() const { return parts_; }
  [[nodiscard]] std::int64_t TileRows() const { return tile_rows_; }
  [[nodiscard]] std::int64_t TileColumns() const { return tile_columns_; }
  [[nodiscard]] Tile TileOf(model::TaskIndex task) const;
  /// Where the tile in this row and column of tiles lies.
  [[nodiscard]] Window WindowOf(std::int64_t tile_row, std::int64_t tile_column) const;

  /// The block of A for a row of tiles, or of B for a column of tiles, and one chunk of the depth.
  [[nodiscard]] BlockId BlockOf(Factor factor, std::int64_t tile, std::int64_t chunk) const;
  /// The part of A or B that a block is; nothing if there is no such block.
  struct BlockPlace {
    Factor factor = Factor::kA;
    Window window;
  };
  [[nodiscard]] std::optional<BlockPlace> PlaceOf(BlockId id) const;
  /// Of one chunk; 0 if there is no such chunk.
  [[nodiscard]] std::int64_t DepthOf(std::int64_t chunk) const { return ExtentOf(chunk).size; }
  /// 0 if there is no such block.
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
