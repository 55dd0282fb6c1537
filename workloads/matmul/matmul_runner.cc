#include "workloads/matmul/matmul_runner.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "workloads/block_cache.h"
#include "workloads/matmul/gemm.h"

namespace evenkeel::workloads::matmul {
namespace {

// Number of chunks that are prefetched while one is multiplied.
constexpr std::int64_t kChunksAhead = 4;
// A string of this capacity is on the heap and therefore aligned for all element types.
constexpr std::size_t kMinHeapBytes = 64;

class MatmulRunner final : public TaskRunner {
 public:
  MatmulRunner(const MatmulSpec& spec, const Division& division, const MatrixBlocks& blocks,
               const RunnerOptions& options)
      : division_(division),
        keep_a_(spec.keep_blocks || spec.keep_row),
        keep_b_(spec.keep_blocks),
        here_(blocks),
        fetcher_(blocks, options.block_fetcher),
        own_cache_(0),
        cache_(options.block_cache != nullptr ? *options.block_cache : own_cache_) {}

  TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                  TaskFailure& failure) override {
    const Tile tile = division_.TileOf(call.index);
    // A worker runs consecutive tasks in ascending or in descending order.
    step_ = call.index == previous_ - 1 ? -1 : 1;
    previous_ = call.index;
    const auto bytes =
        static_cast<std::size_t>(tile.c.Elements() * matmul::BytesOf(division_.Shape().type));
    sum_.reserve(std::max(bytes, kMinHeapBytes));
    sum_.assign(bytes, '\0');
    for (std::int64_t chunk = tile.first_chunk; chunk < tile.end_chunk; ++chunk) {
      const Result<bool> added = AddChunk(call.index, tile, chunk, stop);
      if (!added) {
        failure.reason = "cannot get its input: " + added.error().message;
        return TaskOutcome::kFailed;
      }
      if (!*added || stop.stop_requested()) return TaskOutcome::kStopped;
    }
    result.empty() ? result.swap(sum_) : static_cast<void>(result.append(sum_));
    return TaskOutcome::kDone;
  }

  [[nodiscard]] Duration TakeWaited() override { return std::exchange(waited_, Duration::zero()); }

  [[nodiscard]] model::DataTransfer TakeTransfer() override { return fetcher_.TakeTransfer(); }

 private:
  [[nodiscard]] BlockId IdOf(Factor factor, const Tile& tile, std::int64_t chunk) const {
    return division_.BlockOf(factor, factor == Factor::kA ? tile.tile_row : tile.tile_column,
                             chunk);
  }

  /// False if it was stopped.
  Result<bool> AddChunk(model::TaskIndex task, const Tile& tile, std::int64_t chunk,
                        const std::stop_token& stop) {
    {
      Prefetch(Factor::kB, tile, chunk);
      const auto a = Get(Factor::kA, tile, chunk, stop);
      const auto b = Get(Factor::kB, tile, chunk, stop);
      if (!a) return tl::unexpected(a.error());
      if (!b) return tl::unexpected(b.error());
      if (!*a || !*b) return false;
      PrefetchNext(task, tile, chunk);
      Multiply(tile.c, chunk, (*a)->view, (*b)->view);
    }
    if (!keep_a_) cache_.Drop(IdOf(Factor::kA, tile, chunk));
    if (!keep_b_) cache_.Drop(IdOf(Factor::kB, tile, chunk));
    return true;
  }

  /// A block in memory: of a file, or of the cache for as long as this is held.
  struct Operand {
    MatrixView view;
    BlockCache::Pin pin;
  };

  [[nodiscard]] std::int64_t BytesOf(Factor factor, const Tile& tile, std::int64_t chunk) const {
    return division_.BytesOfBlock(IdOf(factor, tile, chunk));
  }

  /// Nothing if it was stopped.
  Result<std::optional<Operand>> Get(Factor factor, const Tile& tile, std::int64_t chunk,
                                     const std::stop_token& stop) {
    const BlockId id = IdOf(factor, tile, chunk);
    if (here_.IsMapped(factor)) {
      const auto view = here_.View(id);
      if (!view) return tl::unexpected(view.error());
      return Operand{*view, nullptr};
    }
    const Instant before = clock_.Now();
    auto got = cache_.Get(id, BytesOf(factor, tile, chunk), fetcher_, stop);
    if (!here_.Has(id)) waited_ += clock_.Now() - before;  // local blocks are computed or read
    if (!got) return tl::unexpected(got.error());
    if (!*got) return std::nullopt;
    const char* const first = (**got)->Bytes().data();
    const std::int64_t row = factor == Factor::kA ? division_.DepthOf(chunk) : tile.c.columns;
    return Operand{{first, row}, std::move(**got)};
  }

  void Prefetch(Factor factor, const Tile& tile, std::int64_t chunk) {
    if (here_.IsMapped(factor)) return;
    cache_.Prefetch(IdOf(factor, tile, chunk), BytesOf(factor, tile, chunk), fetcher_);
  }

  /// Prefetches the blocks of the next chunks, of this task and of the one that likely follows.
  void PrefetchNext(model::TaskIndex task, const Tile& tile, std::int64_t chunk) {
    Tile at = tile;
    for (std::int64_t ahead = 0; ahead < kChunksAhead; ++ahead) {
      if (++chunk == at.end_chunk) {
        task += step_;
        if (task < 0 || task >= division_.TaskCount()) return;
        at = division_.TileOf(task);
        chunk = at.first_chunk;
      }
      Prefetch(Factor::kA, at, chunk);
      Prefetch(Factor::kB, at, chunk);
    }
  }

  template <typename Number>
  static FactorRows<Number> RowsOf(const MatrixView& view) {
    return {static_cast<const Number*>(static_cast<const void*>(view.first)), view.row_stride};
  }

  void Multiply(const Window& c, std::int64_t chunk, const MatrixView& a, const MatrixView& b) {
    const std::int64_t depth = division_.DepthOf(chunk);
    void* const sum = sum_.data();
    WithNumbersOf(division_.Shape().type, [&]<typename Number>(Number) {
      AddProduct(c.rows, c.columns, depth, RowsOf<Number>(a), RowsOf<Number>(b),
                 static_cast<Number*>(sum));
    });
  }

  const Division& division_;
  model::TaskIndex previous_ = 0;
  model::TaskIndex step_ = 1;  // to the index of the task that most likely follows
  bool keep_a_;
  bool keep_b_;
  const MatrixBlocks& here_;
  LocalFirstFetcher fetcher_;
  BlockCache own_cache_;  // used outside of a worker; keeps no block
  BlockCache& cache_;
  SteadyClock clock_;
  Duration waited_{};
  std::string sum_;  // of the tile
};

}  // namespace

std::unique_ptr<TaskRunner> MakeMatmulRunner(const MatmulSpec& spec, const Division& division,
                                             const MatrixBlocks& blocks,
                                             const RunnerOptions& options) {
  return std::make_unique<MatmulRunner>(spec, division, blocks, options);
}

}  // namespace evenkeel::workloads::matmul
