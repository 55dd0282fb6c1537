#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/shared_bytes.h"
#include "core/model/data_transfer.h"
#include "core/protocol/chunk_service.h"
#include "core/protocol/sha256.h"
#include "worker/data_connections.h"
#include "worker/transfer_meter.h"

namespace evenkeel::worker {

/// A chunk that a worker needs.
struct WantedChunk {
  protocol::ChunkPlace place;
  std::int64_t size_bytes = 0;
  /// Always for a file. Else the bytes are only checked if they come from another worker.
  std::optional<protocol::Sha256Digest> digest;
};

/// Fetches chunks from the coordinator or, where it redirects, from another worker. Bytes of
/// another worker must have the digest that the coordinator has given for them. A worker that sends
/// other bytes is distrusted, and the coordinator sends the chunk. Thread-safe.
class ChunkFetcher {
 public:
  struct Options {
    std::string token;       ///< proves to the coordinator and to other workers who this is
    std::uint16_t port = 0;  ///< where this worker serves others; 0: nowhere
  };
  /// `connections` must outlive it.
  ChunkFetcher(Options options, DataConnections& connections)
      : options_(std::move(options)), connections_(connections) {}

  /// Blocks, also while the coordinator is away. kInvalidInput: the chunk cannot be had, for
  /// example because its file has changed; kUnavailable: the coordinator refuses or sends wrong
  /// bytes, or `stop` is requested.
  [[nodiscard]] Result<SharedBytes> Fetch(const WantedChunk& wanted, const std::stop_token& stop);

  /// Returns what came over the network since the last call.
  [[nodiscard]] model::DataTransfer TakeTransfer() { return meter_.Take(); }

 private:
  [[nodiscard]] Result<SharedBytes> FetchUnmetered(const WantedChunk& wanted,
                                                   const std::stop_token& stop);

  const Options options_;
  DataConnections& connections_;
  SteadyClock clock_;
  TransferMeter meter_{clock_};
};

}  // namespace evenkeel::worker
