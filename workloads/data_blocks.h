#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/base/error.h"
#include "core/model/data_transfer.h"

namespace evenkeel::workloads {

/// Identifies one block of a job's input data. The workload defines the meaning of the number.
using BlockId = std::uint64_t;

/// The source of a job's input data, at the coordinator. Thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// Size of the block in bytes, 0 if there is none of that id.
  [[nodiscard]] virtual std::int64_t SizeOf(BlockId id) const = 0;
  /// Fills `into` with the block's bytes from `offset` on; offset + into.size() is at most SizeOf.
  /// kUnavailable if they cannot be read.
  [[nodiscard]] virtual Result<void> Read(BlockId id, std::int64_t offset,
                                          std::span<char> into) const = 0;
};

/// Fetches blocks for the tasks of a worker. Thread-safe.
class BlockFetcher {
 public:
  using Done = std::function<void(Result<void>)>;

  virtual ~BlockFetcher() = default;
  /// Fills `into`, whose size is the block's, and calls `done` once, from any thread, also from
  /// this one. `into` must live until then.
  virtual void Fetch(BlockId id, std::span<char> into, Done done) = 0;
  /// Returns what this worker, for all of its tasks, has fetched over the network since the last
  /// call.
  [[nodiscard]] virtual model::DataTransfer TakeTransfer() { return {}; }
};

}  // namespace evenkeel::workloads
