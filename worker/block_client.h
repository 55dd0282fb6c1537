#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "worker/chunk_fetcher.h"
#include "workloads/data_blocks.h"

namespace evenkeel::worker {

/// Fetches blocks into memory, in chunks of 1 MiB. A bounded number of chunks is in flight; new
/// ones are requested when few are left. Thread-safe.
class BlockClient final : public workloads::BlockFetcher {
 public:
  struct Options {
    std::int64_t window = 8;  ///< maximum number of chunks in flight; each takes a thread
    std::int64_t refresh_at = 4;
  };
  /// `chunks` must outlive it.
  BlockClient(const Options& options, ChunkFetcher& chunks);
  /// Ends the transfers; their `done` gets an error.
  ~BlockClient() override;

  void Fetch(workloads::BlockId id, std::span<char> into, Done done) override;
  [[nodiscard]] model::DataTransfer TakeTransfer() override { return chunks_.TakeTransfer(); }

 private:
  struct Transfer {
    workloads::BlockId id;
    std::span<char> into;
    Done done;
    std::int64_t left;           // chunks
    std::optional<Error> error;  // the first one
  };
  struct Piece {
    std::shared_ptr<Transfer> transfer;
    std::size_t offset = 0;
    std::size_t size = 0;
  };

  void Run(const std::stop_token& stop);
  /// Fetches a chunk of a block to its place in memory.
  [[nodiscard]] Result<void> FetchPiece(const Piece& piece, const std::stop_token& stop);
  /// A chunk of the transfer is there or failed; after the last one, calls `done`.
  void End(Transfer& transfer, const Result<void>& fetched);

  const Options options_;
  ChunkFetcher& chunks_;
  std::mutex mutex_;  // guards what follows, and the transfers
  std::condition_variable_any changed_;
  std::deque<Piece> queue_;
  std::int64_t under_way_ = 0;
  bool refilling_ = true;
  std::vector<std::jthread> threads_;  // last: they use the rest
};

}  // namespace evenkeel::worker
