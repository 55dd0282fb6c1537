#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/rng.h"
#include "workloads/matmul/division.h"

namespace evenkeel::workloads::matmul {
namespace {

constexpr std::int64_t kMemory = 256 << 20;

std::string Shown(const ProductShape& shape, const TileSizes& sizes) {
  std::string text;
  for (const std::int64_t number : {shape.rows, shape.columns, shape.depth, sizes.rows,
                                    sizes.columns, sizes.depth, sizes.chunk, sizes.strip}) {
    text += std::to_string(number) + " ";
  }
  return text;
}

/// Every element of C gets every term of its sum from exactly one block pair.
void ExpectWhole(const ProductShape& shape, const TileSizes& sizes) {
  SCOPED_TRACE(Shown(shape, sizes));
  const Division division(shape, sizes);
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> tiles;
  std::int64_t terms = 0;
  for (model::TaskIndex task = 0; task < division.TaskCount(); ++task) {
    const Tile tile = division.TileOf(task);
    EXPECT_TRUE(tiles.emplace(tile.tile_row, tile.tile_column, tile.part).second);
    std::int64_t depth = 0;
    for (std::int64_t chunk = tile.first_chunk; chunk < tile.end_chunk; ++chunk) {
      const auto a = division.PlaceOf(division.BlockOf(Factor::kA, tile.tile_row, chunk));
      const auto b = division.PlaceOf(division.BlockOf(Factor::kB, tile.tile_column, chunk));
      ASSERT_TRUE(a && b);
      EXPECT_EQ(a->window.column, b->window.row);
      EXPECT_EQ(a->window.columns, b->window.rows);
      EXPECT_EQ(a->window.row, tile.c.row);
      EXPECT_EQ(b->window.columns, tile.c.columns);
      depth += a->window.columns;
    }
    EXPECT_EQ(depth, tile.depth);
    terms += tile.c.Elements() * tile.depth;
  }
  EXPECT_EQ(terms, shape.rows * shape.columns * shape.depth);
}

TEST(MatmulDivision, CoversEveryTermOnce) {
  constexpr std::uint64_t kSeed = 42;
  Rng rng(kSeed);
  for (int n = 0; n < 200; ++n) {
    const ProductShape shape{rng.Between(1, 40), rng.Between(1, 40), rng.Between(1, 40),
                             ElementType::kFloat64};
    TileSizes sizes{rng.Between(1, shape.rows), rng.Between(1, shape.columns),
                    rng.Between(1, shape.depth), 1, 1};
    sizes.chunk = rng.Between(1, sizes.depth);
    sizes.strip = rng.Between(1, 5);
    ExpectWhole(shape, sizes);
  }
}

TEST(MatmulDivision, HasNoBlocksBeyondTheMatrices) {
  const Division division({10, 20, 30, ElementType::kFloat32}, {4, 5, 14, 6, 2});
  EXPECT_EQ(division.BytesOfBlock(division.BlockOf(Factor::kA, 0, 0)), 4 * 6 * 4);
  EXPECT_EQ(division.BytesOfBlock(division.BlockOf(Factor::kA, 2, 2)), 2 * 2 * 4);
  EXPECT_EQ(division.BytesOfBlock(division.BlockOf(Factor::kB, 3, 6)), 2 * 5 * 4);
  EXPECT_EQ(division.BytesOfBlock(division.BlockOf(Factor::kA, 3, 0)), 0);
  EXPECT_EQ(division.BytesOfBlock(division.BlockOf(Factor::kB, 4, 0)), 0);
  EXPECT_EQ(division.BytesOfBlock(division.BlockOf(Factor::kA, 0, 7)), 0);
  EXPECT_EQ(division.BytesOfBlock(division.BlockOf(Factor::kA, 0, 9)), 0);
  EXPECT_EQ(division.BytesOfBlock(BlockId{3} << 62), 0);
}

TEST(MatmulDivision, ChosenSizesFitMemoryMessagesAndCounts) {
  constexpr std::uint64_t kSeed = 7;
  constexpr ElementType kTypes[] = {ElementType::kFloat32, ElementType::kFloat64,
                                    ElementType::kInt64};
  Rng rng(kSeed);
  for (std::size_t n = 0; n < 500; ++n) {
    const auto extent = [&rng] { return rng.Between(1, std::int64_t{1} << rng.Between(0, 20)); };
    const ProductShape shape{extent(), extent(), extent(), kTypes[n % std::size(kTypes)]};
    const auto sizes = ChooseSizes(shape, {kMemory, 4});
    ASSERT_TRUE(sizes.has_value()) << Shown(shape, {}) << sizes.error().message;
    SCOPED_TRACE(Shown(shape, *sizes));
    EXPECT_LE(MinWorkerMemory(*sizes, shape.type, 4), kMemory);
    EXPECT_LE(sizes->rows * sizes->columns * BytesOf(shape.type), kMaxTileBytes);
    EXPECT_LE(Division(shape, *sizes).TaskCount(), kMaxTasks);
    EXPECT_GE(sizes->strip, 1);
    EXPECT_LE(sizes->chunk, sizes->depth);
    EXPECT_LE(sizes->depth, shape.depth);
    if (Division(shape, *sizes).TaskCount() < 3000) {
      EXPECT_EQ(Division(shape, *sizes).TileOf(0).c.row, 0);
    }
  }
}

TEST(MatmulDivision, LargeProductsFallIntoTasksForUnequalNodes) {
  for (const std::int64_t edge : {2048, 4096, 8192}) {
    const ProductShape shape{edge, edge, edge, ElementType::kFloat32};
    const auto sizes = ChooseSizes(shape, {std::int64_t{512} << 20, 4});
    ASSERT_TRUE(sizes.has_value());
    const std::int64_t tasks = Division(shape, *sizes).TaskCount();
    EXPECT_GE(tasks, 48) << edge;
    EXPECT_LE(tasks, 64) << edge;
    EXPECT_EQ(sizes->depth, edge) << "no partial sums";
    ExpectWhole(shape, *sizes);
  }
  const ProductShape whole_numbers{6144, 6144, 6144, ElementType::kInt64};
  const auto long_tasks = ChooseSizes(whole_numbers, {std::int64_t{512} << 20, 4});
  ASSERT_TRUE(long_tasks.has_value());
  EXPECT_EQ(Division(whole_numbers, *long_tasks).TaskCount(), 20 * 20);
  const auto sum = ChooseSizes({1, 1, 1'000'000'000, ElementType::kFloat64}, {kMemory, 4});
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(Division({1, 1, 1'000'000'000, ElementType::kFloat64}, *sum).TaskCount(), 1);
}

TEST(MatmulDivision, ThePatternsHaveTheirRatios) {
  const ProductShape shape{1024, 1024, 1024, ElementType::kFloat32};
  const SizeLimits limits{kMemory, 4};
  const auto none = AggregatedSizes(shape, Aggregation::kNone, 64, 4, limits);
  const auto row = AggregatedSizes(shape, Aggregation::kRow, 64, 4, limits);
  const auto square = AggregatedSizes(shape, Aggregation::kSquare, 64, 4, limits);
  ASSERT_TRUE(none && row && square);
  EXPECT_EQ(Division(shape, *none).TaskCount(), 16 * 16 * 16);
  EXPECT_EQ(Division(shape, *row).TaskCount(), 16 * 16 * 4);
  EXPECT_EQ(Division(shape, *square).TaskCount(), 4 * 4 * 4);
}

TEST(MatmulDivision, TooLittleMemoryIsReported) {
  const ProductShape shape{5000, 5000, 5000, ElementType::kFloat64};
  EXPECT_TRUE(ChooseSizes(shape, {1 << 20, 4}).has_value());
  const auto given = CompleteSizes(shape, {512, 512, 5000, 0, 1}, {16 << 20, 4});
  ASSERT_FALSE(given.has_value());
  EXPECT_EQ(given.error().message,
            "do not fit: 4 tasks at a time need 48 MiB, memoryPerWorker is 16 MiB");
}

}  // namespace
}  // namespace evenkeel::workloads::matmul
