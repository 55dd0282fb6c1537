#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/protocol/block_service.h"
#include "workloads/block_cache.h"

namespace evenkeel::worker {

/// Serves the blocks in this worker's memory to other workers. Thread-safe.
class BlockHost {
 public:
  struct Options {
    std::optional<protocol::TlsIdentity> tls;  ///< without it on loopback only
    std::string peer_name;                     ///< in the certificates of other workers
    std::string token;                         ///< that they must send
    std::uint16_t port = 0;                    ///< 0: any that is free
  };
  /// `cache` must outlive it. kUnavailable if no port is free.
  [[nodiscard]] static Result<std::unique_ptr<BlockHost>> Start(const Options& options,
                                                                workloads::BlockCache& cache);
  ~BlockHost();
  [[nodiscard]] std::uint16_t Port() const { return port_; }

 private:
  class Source final : public protocol::PieceSource {
   public:
    explicit Source(workloads::BlockCache& cache) : cache_(cache) {}
    std::int64_t SizeOf(std::uint64_t block) override;
    std::optional<SharedBytes> Share(const protocol::PieceCall& call) override;
    Result<void> Read(const protocol::PieceCall& call, std::span<char> into) override;

   private:
    workloads::BlockCache& cache_;
  };

  BlockHost(const Options& options, workloads::BlockCache& cache);

  Source source_;
  protocol::TrafficCounter traffic_;
  protocol::BlockService service_;
  std::unique_ptr<grpc::Server> server_;
  std::uint16_t port_ = 0;
};

}  // namespace evenkeel::worker
