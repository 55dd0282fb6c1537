#include "coordinator/farewell.h"

#include <mutex>
#include <utility>
#include <variant>

namespace evenkeel::coordinator {
namespace {

class Doorkeeper final : public Farewell, private StreamListener {
 public:
  explicit Doorkeeper(std::string reason) : reason_(std::move(reason)) {}
  ~Doorkeeper() override {
    if (server_) server_->Shutdown();
  }

  Result<void> Listen(const ServerOptions& options) {
    const std::lock_guard lock(mutex_);  // a worker may be heard before Start has returned
    auto server = WorkerServer::Start(options, *this);
    if (!server) return tl::unexpected(server.error());
    server_ = std::move(*server);
    return {};
  }

 private:
  void OnMessage(StreamId stream, engine::ToCoordinator message) override {
    WorkerServer* server = nullptr;
    {
      const std::lock_guard lock(mutex_);
      server = server_.get();
    }
    if (server == nullptr) return;
    if (std::holds_alternative<engine::Hello>(message)) {
      server->Send(stream, engine::Finish{reason_});
    }
    server->Close(stream);
  }
  void OnClosed(StreamId) override {}

  const std::string reason_;
  std::mutex mutex_;
  std::unique_ptr<WorkerServer> server_;
};

}  // namespace

Result<std::unique_ptr<Farewell>> Farewell::Start(const ServerOptions& options,
                                                  const std::string& reason) {
  auto farewell = std::make_unique<Doorkeeper>(reason);
  if (const auto listening = farewell->Listen(options); !listening) {
    return tl::unexpected(listening.error());
  }
  return farewell;
}

}  // namespace evenkeel::coordinator
