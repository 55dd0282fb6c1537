#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>

#include "core/base/clock.h"
#include "core/protocol/sha256.h"
#include "core/protocol/transport_settings.h"
#include "worker/coordinator_connection.h"
#include "worker/data_connections.h"
#include "worker/transfer_meter.h"
#include "workloads/data_blocks.h"

namespace evenkeel::worker {

/// Fetches blocks from the coordinator or, where it redirects, from another worker, in pieces over
/// connections of its own, so that messages do not wait behind them. A bounded number of pieces is
/// in flight; new ones are requested when few are left. Retries while the coordinator is away.
/// A piece from another worker must have the digest that the coordinator has given for it. If it
/// does not, this client fetches the piece from the coordinator, and nothing from that worker
/// again. Thread-safe.
class BlockClient final : public workloads::BlockFetcher {
 public:
  struct Options {
    ConnectionOptions home;   ///< the coordinator
    std::string token;        ///< proves to the coordinator that this is its worker
    std::string peer_name;    ///< in the certificates of other workers
    std::uint16_t port = 0;   ///< where this worker serves others; 0: nowhere
    std::int64_t window = 8;  ///< maximum number of pieces in flight
    std::int64_t refresh_at = 4;
  };
  explicit BlockClient(Options options);
  /// Cancels the transfers in flight; their `done` gets an error.
  ~BlockClient() override;

  void Fetch(workloads::BlockId id, std::span<char> into, Done done) override;
  [[nodiscard]] model::DataTransfer TakeTransfer() override { return meter_.Take(); }

 private:
  struct Transfer {
    workloads::BlockId id;
    std::span<char> into;
    Done done;
    std::int64_t left;           // pieces
    std::optional<Error> error;  // the first one
  };
  struct Piece {
    std::shared_ptr<Transfer> transfer;
    std::size_t offset = 0;
    std::size_t size = 0;
    std::string peer;                 // address to request it from; empty: the coordinator
    protocol::Sha256Digest digest{};  // of the piece, if it comes from a peer
    bool only_here = false;           // the coordinator must not redirect it again
    int attempts = 0;                 // that failed to connect
  };
  struct Call {
    Piece piece;
    grpc::ClientContext context;
    grpc::ByteBuffer request;
    grpc::ByteBuffer response;
  };
  using Lock = std::unique_lock<std::mutex>;

  /// Starts requests if few enough are in flight.
  void Pump(Lock& lock);
  void Start(Lock& lock, Piece piece);
  void OnAnswer(Call* call, const grpc::Status& status);
  /// Whether the piece is over, with an error or without; otherwise it has been queued again.
  [[nodiscard]] bool Settle(Call& call, const grpc::Status& status, std::optional<Error>& error);
  /// Whether the answer is the piece; false also if another worker sent other bytes.
  [[nodiscard]] bool Accept(Call& call);
  /// Sends the piece on to the peer that the coordinator named, unless that is distrusted or the
  /// coordinator gave no digest. The mutex must be held.
  void FollowRedirection(Piece& piece, const grpc::ClientContext& context,
                         const std::string& holder);

  const Options options_;
  DataConnections connections_;
  SteadyClock clock_;
  TransferMeter meter_{clock_};
  std::mutex mutex_;  // guards what follows
  std::condition_variable idle_;
  std::deque<Piece> queue_;
  std::unordered_set<Call*> calls_;
  int pumping_ = 0;  // threads within Pump, which releases the mutex meanwhile
  bool refilling_ = true;
  bool ending_ = false;
};

}  // namespace evenkeel::worker
