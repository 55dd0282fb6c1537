#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/protocol/chunk_service.h"
#include "core/protocol/transport_settings.h"

namespace evenkeel::worker {

/// Serves the chunks that this worker has to other workers. Thread-safe.
class ChunkHost {
 public:
  struct Options {
    std::optional<protocol::TlsIdentity> tls;  ///< without it on loopback only
    std::string peer_name;                     ///< in the certificates of other workers
    std::string token;                         ///< that they must send
    std::uint16_t port = 0;                    ///< 0: any that is free
    std::size_t readers = 1;  ///< requests that are answered, or wait for a chunk, at a time
  };
  /// `source` must outlive it. kUnavailable: the port is not free.
  [[nodiscard]] static Result<std::unique_ptr<ChunkHost>> Start(const Options& options,
                                                                protocol::ChunkSource& source);
  ~ChunkHost();
  ChunkHost(const ChunkHost&) = delete;
  ChunkHost& operator=(const ChunkHost&) = delete;

  [[nodiscard]] std::uint16_t Port() const { return port_; }

 private:
  ChunkHost(const Options& options, protocol::ChunkSource& source);

  protocol::TrafficCounter traffic_;
  protocol::ChunkService service_;
  std::unique_ptr<grpc::Server> server_;
  std::uint16_t port_ = 0;
};

}  // namespace evenkeel::worker
