#include "worker/coordinator_connection.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "worker/channel.h"
#include "worker/coordinator_stream.h"

namespace evenkeel::worker {
namespace {

class GrpcConnection final : public CoordinatorConnection {
 public:
  GrpcConnection(const ConnectionOptions& options, ConnectionListener& listener)
      : close_grace_(options.close_grace), stream_(MakeChannel(options), listener) {
    stream_.Begin();
  }

  ~GrpcConnection() override {
    if (stream_.Closing() && stream_.AwaitDone(close_grace_)) return;
    stream_.Cut();
    stream_.AwaitDone();
  }

  void Send(engine::ToCoordinator message) override { stream_.Send(std::move(message)); }
  void Close() override { stream_.Close(); }
  [[nodiscard]] protocol::Traffic Counters() const override { return stream_.Counters(); }

 private:
  const Duration close_grace_;
  CoordinatorStream stream_;
};

}  // namespace

std::unique_ptr<CoordinatorConnection> CoordinatorConnection::Connect(
    const ConnectionOptions& options, ConnectionListener& listener) {
  protocol::RouteGrpcLog();
  return std::make_unique<GrpcConnection>(options, listener);
}

}  // namespace evenkeel::worker
