#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "coordinator/holders.h"
#include "core/protocol/block_service.h"
#include "core/protocol/sha256.h"
#include "workloads/data_blocks.h"

namespace evenkeel::coordinator {

/// The coordinator's blocks, and the workers that have got them: each piece is sent once from here,
/// and workers that ask later are redirected to one that has it. The digest of each piece is taken
/// when it is sent from here and goes along with the redirection, so that no worker has to trust
/// another one. Thread-safe.
class BlockHome final : public protocol::PieceSource {
 public:
  /// `blocks` must outlive it.
  BlockHome(const workloads::BlockSource& blocks, bool between_workers)
      : blocks_(blocks), between_workers_(between_workers) {}

  std::int64_t SizeOf(std::uint64_t block) override { return blocks_.SizeOf(block); }
  protocol::Redirection Redirect(const protocol::PieceCall& call) override;
  Result<void> Read(const protocol::PieceCall& call, std::span<char> into) override;

 private:
  struct Block {
    Holders holders;
    /// Digests of the pieces that were sent from here, by their place; pieces of kPieceBytes only.
    std::vector<std::optional<protocol::Sha256Digest>> digests;
  };

  void NoteDigest(const protocol::PieceCall& call, std::span<const char> piece);
  void NoteHolder(const protocol::PieceCall& call);

  const workloads::BlockSource& blocks_;
  const bool between_workers_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Block> sent_;  // guarded by mutex_
};

}  // namespace evenkeel::coordinator
