#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/base/shared_bytes.h"
#include "core/protocol/blocking_call_queue.h"
#include "core/protocol/evenkeel.grpc.pb.h"
#include "core/protocol/sha256.h"
#include "core/protocol/transport_settings.h"

namespace evenkeel::protocol {

/// A request for one piece of a block.
struct PieceCall {
  std::uint64_t block = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  bool only_here = false;
  std::string client;  ///< "HOST:PORT" on which the client serves others; empty: none
};

/// Where a client is to fetch a piece instead.
struct Redirection {
  std::string holder;     ///< "HOST:PORT" of a worker that has the block; empty: none
  Sha256Digest digest{};  ///< of the piece, so that the client need not trust the holder
};

/// Trailing metadata of a redirected request: Redirection::digest.
inline constexpr const char* kPieceDigestKey = "evenkeel-piece-sha256-bin";

/// Provides the blocks. Called concurrently by the threads of the service.
class PieceSource {
 public:
  virtual ~PieceSource() = default;
  /// Size of the block in bytes; 0 if it is not here.
  [[nodiscard]] virtual std::int64_t SizeOf(std::uint64_t block) = 0;
  /// A worker that the client should ask instead, if there is one.
  [[nodiscard]] virtual Redirection Redirect(const PieceCall& call) {
    static_cast<void>(call);
    return {};
  }
  /// The piece where it already is in memory; nothing if Read has to copy it. The bytes stay in
  /// memory until they have been sent.
  [[nodiscard]] virtual std::optional<SharedBytes> Share(const PieceCall& call) {
    static_cast<void>(call);
    return std::nullopt;
  }
  /// Reads the piece into `into`.
  [[nodiscard]] virtual Result<void> Read(const PieceCall& call, std::span<char> into) = 0;
};

/// The server side of Blocks. Thread-safe. Register it with a server, and destroy it after the
/// server has shut down.
class BlockService final : public v1::Blocks::WithRawCallbackMethod_Fetch<v1::Blocks::Service> {
 public:
  using Options = BlockingCallQueue::Options;
  /// `source` and `traffic`, which counts the pieces sent, must outlive this.
  BlockService(Options options, PieceSource& source, TrafficCounter& traffic);

  grpc::ServerUnaryReactor* Fetch(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* response) override;

 private:
  /// Whether the block is here and has the piece.
  [[nodiscard]] grpc::Status Check(const v1::PieceRequest& asked) const;
  [[nodiscard]] grpc::Status Answer(const PieceCall& call, grpc::CallbackServerContext& context,
                                    grpc::ByteBuffer& response);

  PieceSource& source_;
  TrafficCounter& traffic_;
  BlockingCallQueue calls_;  // the last member: its threads use the others
};

}  // namespace evenkeel::protocol
