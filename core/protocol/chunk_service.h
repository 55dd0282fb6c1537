#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/base/error.h"
#include "core/base/shared_bytes.h"
#include "core/protocol/blocking_call_queue.h"
#include "core/protocol/evenkeel.grpc.pb.h"
#include "core/protocol/sha256.h"
#include "core/protocol/transport_settings.h"

namespace evenkeel::protocol {

/// A chunk of an input file: kMaxPieceBytes, or fewer at the end of the file.
struct FilePlace {
  std::string path;       ///< of a file that has the chunk; the coordinator reads it
  std::size_t chunk = 0;  ///< its index in the file
};

/// A part of a block, 1 to kMaxPieceBytes. Whether the block has it, the source checks.
struct BlockPlace {
  std::uint64_t block = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;
};

using ChunkPlace = std::variant<FilePlace, BlockPlace>;

/// Writes the place into a request.
void SetPlace(const ChunkPlace& place, v1::ChunkRequest& request);

/// A request for one chunk.
struct ChunkCall {
  ChunkPlace place;
  std::optional<Sha256Digest> digest;  ///< of the chunk; always with a FilePlace
  bool only_here = false;              ///< not to be redirected
  std::string client;  ///< "HOST:PORT" on which the client serves others; empty: none
};

/// Where a client is to fetch a chunk instead.
struct Redirection {
  std::string holder;     ///< "HOST:PORT" of a worker that has it or is about to; empty: none
  Sha256Digest digest{};  ///< of the chunk, so that the client need not trust the holder
};

/// Trailing metadata of a redirected request: Redirection::digest.
inline constexpr const char* kChunkDigestKey = "evenkeel-chunk-sha256-bin";

/// Provides chunks. Called concurrently by the threads of the service; may block on the disk.
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;
  /// A worker that the client should ask instead, if there is one. Not called for `only_here`.
  [[nodiscard]] virtual Redirection Redirect(const ChunkCall& call) {
    static_cast<void>(call);
    return {};
  }
  /// The bytes of the chunk. kInvalidInput: it cannot be had; kUnavailable: it may be there later,
  /// or elsewhere.
  [[nodiscard]] virtual Result<SharedBytes> Read(const ChunkCall& call) = 0;
};

/// The server side of Chunks. Thread-safe. Register it with a server, and destroy it after the
/// server has shut down.
class ChunkService final : public v1::Chunks::WithRawCallbackMethod_Fetch<v1::Chunks::Service> {
 public:
  using Options = BlockingCallQueue::Options;
  /// `source` and `traffic`, which counts the chunks sent, must outlive this.
  ChunkService(Options options, ChunkSource& source, TrafficCounter& traffic);

  grpc::ServerUnaryReactor* Fetch(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* response) override;

 private:
  [[nodiscard]] grpc::Status Answer(const ChunkCall& call, grpc::CallbackServerContext& context,
                                    grpc::ByteBuffer& response);

  ChunkSource& source_;
  TrafficCounter& traffic_;
  BlockingCallQueue calls_;  // the last member: its threads use the others
};

}  // namespace evenkeel::protocol
