#include "workloads/matmul/division.h"

#include <algorithm>

namespace evenkeel::workloads::matmul {
namespace {

// A block's id: which factor, which row or column of tiles, which chunk.
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

}  // namespace evenkeel::workloads::matmul
