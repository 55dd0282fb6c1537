#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/protocol/evenkeel.grpc.pb.h"
#include "core/protocol/transport_settings.h"

namespace evenkeel::protocol {

/// One piece of a block, as somebody asks for it.
struct PieceCall {
  std::uint64_t block = 0;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  bool only_here = false;
  std::string asker;  ///< "HOST:PORT" where the asker serves others; empty: nowhere
};

/// Who has blocks. Called on the service's threads, several at a time.
class PieceSource {
 public:
  virtual ~PieceSource() = default;
  /// Size of the block; 0 if it is not here.
  [[nodiscard]] virtual std::int64_t SizeOf(std::uint64_t block) = 0;
  /// "HOST:PORT" of a worker that has it, if that is to be asked instead.
  [[nodiscard]] virtual std::string Elsewhere(const PieceCall& call) {
    static_cast<void>(call);
    return {};
  }
  /// Fills `into` with the piece.
  [[nodiscard]] virtual Result<void> Read(const PieceCall& call, std::span<char> into) = 0;
};

/// The server's end of Blocks. Pieces are read on threads of its own, so that a slow disk holds up
/// no stream. Thread-safe. To be registered with a server, and destroyed after it has shut down.
class BlockService final : public v1::Blocks::WithRawCallbackMethod_Fetch<v1::Blocks::Service> {
 public:
  struct Options {
    std::string token;        ///< that the asker must show; empty: none
    std::string client_name;  ///< that its certificate must carry; empty: any
    std::size_t readers = 1;  ///< threads
  };
  /// `source` and `traffic`, which counts pieces sent, must outlive it.
  BlockService(Options options, PieceSource& source, TrafficCounter& traffic);
  ~BlockService() override;

  grpc::ServerUnaryReactor* Fetch(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* response) override;

 private:
  struct Waiting {
    PieceCall call;
    grpc::ServerUnaryReactor* reactor;
    grpc::ByteBuffer* response;
  };

  grpc::Status Check(const grpc::CallbackServerContext& context, const grpc::ByteBuffer& request,
                     PieceCall& call) const;
  [[nodiscard]] grpc::Status Answer(const PieceCall& call, grpc::ByteBuffer& response);
  void ReadWaiting();

  const Options options_;
  PieceSource& source_;
  TrafficCounter& traffic_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable filled_;
  std::deque<Waiting> waiting_;
  bool ending_ = false;
  std::vector<std::thread> readers_;
};

}  // namespace evenkeel::protocol
