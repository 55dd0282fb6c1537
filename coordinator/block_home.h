#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/protocol/block_service.h"
#include "workloads/data_blocks.h"

namespace evenkeel::coordinator {

/// The coordinator's blocks, and who else has them by now: each is sent once from here, and workers
/// that ask later are sent to one that has it. Thread-safe.
class BlockHome final : public protocol::PieceSource {
 public:
  /// `blocks` must outlive it.
  BlockHome(const workloads::BlockSource& blocks, bool between_workers)
      : blocks_(blocks), between_workers_(between_workers) {}

  std::int64_t SizeOf(std::uint64_t block) override { return blocks_.SizeOf(block); }
  std::string Redirect(const protocol::PieceCall& call) override;
  Result<void> Read(const protocol::PieceCall& call, std::span<char> into) override;

 private:
  /// Of one block: the workers that got it, the next one to be named in front.
  using Holders = std::deque<std::string>;

  const workloads::BlockSource& blocks_;
  const bool between_workers_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Holders> holders_;  // guarded by mutex_
};

}  // namespace evenkeel::coordinator
