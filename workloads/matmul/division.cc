#include "workloads/matmul/division.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace evenkeel::workloads::matmul {
namespace {

// The bits of a block's id: the factor, the row or column of tiles, the chunk.
constexpr int kChunkBits = 31;
constexpr int kTileBits = 31;
constexpr BlockId kChunkMask = (BlockId{1} << kChunkBits) - 1;
constexpr BlockId kTileMask = (BlockId{1} << kTileBits) - 1;

}  // namespace

Division::Division(const ProductShape& shape, const TileSizes& sizes)
    : shape_(shape),
      sizes_(sizes),
      tile_rows_(CeilDivide(shape.rows, sizes.rows)),
      tile_columns_(CeilDivide(shape.columns, sizes.columns)),
      parts_(CeilDivide(shape.depth, sizes.depth)),
      chunks_of_part_(CeilDivide(sizes.depth, sizes.chunk)) {}

Tile Division::TileOf(model::TaskIndex task) const {
  const std::int64_t tasks_of_strip = sizes_.strip * tile_columns_ * parts_;
  const std::int64_t first_row = task / tasks_of_strip * sizes_.strip;
  const std::int64_t rows = std::min(sizes_.strip, tile_rows_ - first_row);
  const std::int64_t in_strip = task % tasks_of_strip;
  const std::int64_t in_part = in_strip % (tile_columns_ * rows);
  Tile tile;
  tile.part = in_strip / (tile_columns_ * rows);
  tile.tile_row = first_row + in_part % rows;
  tile.tile_column = in_part / rows;
  tile.c = WindowOf(tile.tile_row, tile.tile_column);
  tile.depth = std::min(sizes_.depth, shape_.depth - tile.part * sizes_.depth);
  tile.first_chunk = tile.part * chunks_of_part_;
  tile.end_chunk = tile.first_chunk + CeilDivide(tile.depth, sizes_.chunk);
  return tile;
}

Window Division::WindowOf(std::int64_t tile_row, std::int64_t tile_column) const {
  Window window{tile_row * sizes_.rows, tile_column * sizes_.columns, 0, 0};
  window.rows = std::min(sizes_.rows, shape_.rows - window.row);
  window.columns = std::min(sizes_.columns, shape_.columns - window.column);
  return window;
}

BlockId Division::BlockOf(Factor factor, std::int64_t tile, std::int64_t chunk) const {
  return static_cast<BlockId>(factor) << (kTileBits + kChunkBits) |
         static_cast<BlockId>(tile) << kChunkBits | static_cast<BlockId>(chunk);
}

Division::Extent Division::ExtentOf(std::int64_t chunk) const {
  const std::int64_t part = chunk / chunks_of_part_;
  const std::int64_t part_begin = part * sizes_.depth;
  if (part_begin >= shape_.depth) return {};
  const std::int64_t part_end = std::min(shape_.depth, part_begin + sizes_.depth);
  const std::int64_t begin = part_begin + chunk % chunks_of_part_ * sizes_.chunk;
  return {begin, std::max<std::int64_t>(0, std::min(part_end, begin + sizes_.chunk) - begin)};
}

std::optional<Division::BlockPlace> Division::PlaceOf(BlockId id) const {
  const BlockId factor = id >> (kTileBits + kChunkBits);
  const auto tile = static_cast<std::int64_t>(id >> kChunkBits & kTileMask);
  const Extent depth = ExtentOf(static_cast<std::int64_t>(id & kChunkMask));
  if (factor > 1 || depth.size <= 0) return std::nullopt;
  if (factor == static_cast<BlockId>(Factor::kA)) {
    if (tile >= tile_rows_) return std::nullopt;
    const Window c = WindowOf(tile, 0);
    return BlockPlace{Factor::kA, {c.row, depth.begin, c.rows, depth.size}};
  }
  if (tile >= tile_columns_) return std::nullopt;
  const Window c = WindowOf(0, tile);
  return BlockPlace{Factor::kB, {depth.begin, c.column, depth.size, c.columns}};
}

std::int64_t Division::BytesOfBlock(BlockId id) const {
  const auto place = PlaceOf(id);
  return place ? place->window.Elements() * BytesOf(shape_.type) : 0;
}

namespace {

constexpr std::int64_t kWantedTasks = 48;
constexpr std::int64_t kWantedWholeNumberTasks = 384;
constexpr std::int64_t kGranularity = 16;  // kernels are fastest at multiples of this
constexpr std::int64_t kMinEdge = 256;     // smaller only if memory requires it
constexpr std::int64_t kMinWholeNumberEdge = 128;
constexpr std::int64_t kMaxTileEdge = 1024;    // larger tiles are hardly faster
constexpr std::int64_t kBlockBytes = 2 << 20;  // large enough to hide a round trip
constexpr std::int64_t kMinDepth = 512;  // partial sums of less depth cost more time than they save
constexpr double kLongTask = 4e9;        // multiply-adds of a task that is worth splitting

std::int64_t RoundUp(double value) {
  const auto units = static_cast<std::int64_t>(std::ceil(value / kGranularity));
  return std::max<std::int64_t>(units, 1) * kGranularity;
}

/// The size of equal parts of `whole`, as many as parts of the size `part` would be.
std::int64_t EvenPartSize(std::int64_t whole, std::int64_t part) {
  const std::int64_t parts = CeilDivide(whole, std::max<std::int64_t>(part, 1));
  const std::int64_t even = CeilDivide(whole, parts);
  const std::int64_t rounded = RoundUp(static_cast<double>(even));
  return rounded <= part && CeilDivide(whole, rounded) == parts ? rounded : even;
}

std::int64_t TileCount(const ProductShape& shape, const TileSizes& sizes) {
  return CeilDivide(shape.rows, sizes.rows) * CeilDivide(shape.columns, sizes.columns);
}

/// Sets the tile to about `area` elements, square unless the product is too narrow.
void SetTile(const ProductShape& shape, double area, TileSizes& sizes) {
  const double edge = std::sqrt(area);
  sizes.rows = std::min(shape.rows, RoundUp(edge));
  sizes.columns = std::min(shape.columns, RoundUp(area / static_cast<double>(sizes.rows)));
  sizes.rows = std::min(shape.rows, RoundUp(area / static_cast<double>(sizes.columns)));
}

constexpr double Square(std::int64_t edge) {
  return static_cast<double>(edge) * static_cast<double>(edge);
}

/// Floating-point kernels copy A and B before they multiply, at a cost that falls with the size of
/// the tile: a seventh of the time at an edge of 512, half of that at 1024. Whole numbers take some
/// thirty times as long, and their kernel copies nothing, so smaller tiles balance better.
void ChooseTile(const ProductShape& shape, TileSizes& sizes) {
  const bool whole = IsWhole(shape.type);
  const double all = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  const double wanted = all / static_cast<double>(whole ? kWantedWholeNumberTasks : kWantedTasks);
  const double least = Square(whole ? kMinWholeNumberEdge : kMinEdge);
  SetTile(shape, std::clamp(wanted, least, Square(kMaxTileEdge)), sizes);
}

void ChooseParts(const ProductShape& shape, TileSizes& sizes) {
  const std::int64_t tiles = TileCount(shape, sizes);
  const double work = static_cast<double>(sizes.rows) * static_cast<double>(sizes.columns) *
                      static_cast<double>(shape.depth);
  const double parts =
      std::min({static_cast<double>(CeilDivide(kWantedTasks, tiles)), work / kLongTask + 1,
                static_cast<double>(shape.depth) / kMinDepth});
  sizes.depth = EvenPartSize(
      shape.depth, CeilDivide(shape.depth, static_cast<std::int64_t>(std::max(1.0, parts))));
}

void ChooseChunk(ElementType type, std::int64_t block_bytes, TileSizes& sizes) {
  const std::int64_t line = std::max(sizes.rows, sizes.columns) * BytesOf(type);
  sizes.chunk =
      EvenPartSize(sizes.depth, std::clamp<std::int64_t>(block_bytes / line, 1, sizes.depth));
}

/// Sets the strip to the number of panels of A that fit into memory beside two panels of B.
void ChooseStrip(const ProductShape& shape, const SizeLimits& limits, TileSizes& sizes) {
  const std::int64_t element = BytesOf(shape.type);
  const std::int64_t panel_a = sizes.rows * sizes.depth * element;
  const std::int64_t panel_b = sizes.columns * sizes.depth * element;
  const std::int64_t room =
      limits.memory_bytes - MinWorkerMemory(sizes, shape.type, limits.threads);
  const std::int64_t tile_rows = CeilDivide(shape.rows, sizes.rows);
  const std::int64_t strip = std::clamp<std::int64_t>((room - 2 * panel_b) / panel_a, 1, tile_rows);
  sizes.strip = CeilDivide(tile_rows, CeilDivide(tile_rows, strip));
}

std::string Mebibytes(std::int64_t bytes) { return std::to_string(CeilDivide(bytes, 1 << 20)); }

Result<void> Check(const ProductShape& shape, const TileSizes& sizes, const SizeLimits& limits) {
  const std::int64_t result = sizes.rows * sizes.columns * BytesOf(shape.type);
  if (result > kMaxTileBytes) {
    return InvalidInput("must be smaller: the result of a task has " + std::to_string(result) +
                        " bytes, at most " + std::to_string(kMaxTileBytes) + " are allowed");
  }
  const std::int64_t tiles = TileCount(shape, sizes);
  const std::int64_t parts = CeilDivide(shape.depth, sizes.depth);
  if (tiles > kMaxTasks / parts) {
    return InvalidInput("must be larger: the product falls into more than " +
                        std::to_string(kMaxTasks) + " tasks");
  }
  const std::int64_t least = MinWorkerMemory(sizes, shape.type, limits.threads);
  if (least > limits.memory_bytes) {
    return InvalidInput("do not fit: " + std::to_string(limits.threads) + " tasks at a time need " +
                        Mebibytes(least) + " MiB, memoryPerWorker is " +
                        Mebibytes(limits.memory_bytes) + " MiB");
  }
  return {};
}

/// Sizes of tasks that compute `rows` rows of C; checks that all of B fits into memory.
Result<TileSizes> SizesByRows(const ProductShape& shape, std::int64_t rows,
                              const SizeLimits& limits) {
  const std::int64_t all_of_b = shape.depth * shape.columns * BytesOf(shape.type);
  TileSizes sizes{std::min(rows, shape.rows), shape.columns, shape.depth, 0, 1};
  ChooseChunk(shape.type, kBlockBytes, sizes);
  if (const auto fits = Check(shape, sizes, limits); !fits) return tl::unexpected(fits.error());
  const std::int64_t needed = all_of_b + MinWorkerMemory(sizes, shape.type, limits.threads);
  if (needed <= limits.memory_bytes) return sizes;
  return InvalidInput("does not fit: all of b and " + std::to_string(limits.threads) +
                      " tasks at a time need " + Mebibytes(needed) + " MiB, memoryPerWorker is " +
                      Mebibytes(limits.memory_bytes) + " MiB");
}

}  // namespace

std::int64_t MinWorkerMemory(const TileSizes& sizes, ElementType type, std::int64_t threads) {
  const std::int64_t blocks = (sizes.rows + sizes.columns) * sizes.chunk;
  // The tile, its copy as a result, the blocks in use and the next blocks.
  return threads * (2 * sizes.rows * sizes.columns + 2 * blocks) * BytesOf(type);
}

Result<TileSizes> CompleteSizes(const ProductShape& shape, TileSizes sizes,
                                const SizeLimits& limits) {
  sizes.rows = std::min(sizes.rows, shape.rows);
  sizes.columns = std::min(sizes.columns, shape.columns);
  sizes.depth = std::min(sizes.depth, shape.depth);
  ChooseChunk(shape.type, kBlockBytes, sizes);
  if (const auto fits = Check(shape, sizes, limits); !fits) return tl::unexpected(fits.error());
  ChooseStrip(shape, limits, sizes);
  return sizes;
}

Result<TileSizes> ChooseSizes(const ProductShape& shape, const SizeLimits& limits) {
  TileSizes sizes;
  ChooseTile(shape, sizes);
  sizes.rows = EvenPartSize(shape.rows, sizes.rows);
  sizes.columns = EvenPartSize(shape.columns, sizes.columns);
  ChooseParts(shape, sizes);
  for (std::int64_t block_bytes = kBlockBytes;; block_bytes /= 2) {
    ChooseChunk(shape.type, block_bytes, sizes);
    const auto fits = Check(shape, sizes, limits);
    if (fits) break;
    const std::int64_t edge = std::max(sizes.rows, sizes.columns);
    if (edge <= kGranularity || TileCount(shape, sizes) >= kMaxTasks) {
      return tl::unexpected(fits.error());
    }
    (sizes.rows >= sizes.columns ? sizes.rows : sizes.columns) = CeilDivide(edge, 2);
  }
  ChooseStrip(shape, limits, sizes);
  return sizes;
}

Result<TileSizes> AggregatedSizes(const ProductShape& shape, Aggregation aggregation,
                                  std::int64_t block, std::int64_t factor,
                                  const SizeLimits& limits) {
  if (aggregation == Aggregation::kByRows) return SizesByRows(shape, block, limits);
  const std::int64_t edge = aggregation == Aggregation::kSquare ? block * factor : block;
  const std::int64_t depth = aggregation == Aggregation::kNone ? block : block * factor;
  TileSizes sizes{std::min(edge, shape.rows), std::min(edge, shape.columns),
                  std::min(depth, shape.depth), 0, 1};
  sizes.chunk = std::min(block, sizes.depth);
  if (const auto fits = Check(shape, sizes, limits); !fits) return tl::unexpected(fits.error());
  return sizes;
}

}  // namespace evenkeel::workloads::matmul
