#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "coordinator/holders.h"
#include "core/base/shared_bytes.h"
#include "core/protocol/chunk_service.h"
#include "core/protocol/sha256.h"
#include "workloads/data_blocks.h"

namespace evenkeel::coordinator {

/// The coordinator's blocks, and the workers that have got them: each chunk is sent once from here,
/// and workers that ask later are redirected to one that has it. The digest of each chunk is taken
/// when it is sent from here and goes along with the redirection, so that no worker has to trust
/// another one. Thread-safe.
class BlockHome final : public protocol::ChunkSource {
 public:
  /// `blocks` must outlive it.
  BlockHome(const workloads::BlockSource& blocks, bool between_workers)
      : blocks_(blocks), between_workers_(between_workers) {}

  protocol::Redirection Redirect(const protocol::ChunkCall& call) override;
  Result<SharedBytes> Read(const protocol::ChunkCall& call) override;

 private:
  struct Block {
    Holders holders;
    /// Digests of the chunks that were sent from here, in order; chunks of kPieceBytes only.
    std::vector<std::optional<protocol::Sha256Digest>> digests;
  };

  /// `block_bytes`: size of the whole block.
  void NoteDigest(const protocol::BlockPlace& place, std::int64_t block_bytes,
                  const SharedBytes& chunk);
  void NoteHolder(const protocol::BlockPlace& place, std::int64_t block_bytes,
                  const protocol::ChunkCall& call);

  const workloads::BlockSource& blocks_;
  const bool between_workers_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Block> sent_;  // guarded by mutex_
};

}  // namespace evenkeel::coordinator
