#include "coordinator/service/finished_job_server.h"

#include <utility>
#include <variant>

namespace evenkeel::coordinator {

Result<std::unique_ptr<FinishedJobServer>> FinishedJobServer::Start(const ServerOptions& options,
                                                                    const std::string& reason) {
  std::unique_ptr<FinishedJobServer> server(new FinishedJobServer(reason));
  if (const auto listening = server->Listen(options); !listening) {
    return tl::unexpected(listening.error());
  }
  return server;
}

FinishedJobServer::FinishedJobServer(std::string reason) : reason_(std::move(reason)) {}

FinishedJobServer::~FinishedJobServer() {
  if (server_) server_->Shutdown();
}

Result<void> FinishedJobServer::Listen(const ServerOptions& options) {
  const std::lock_guard lock(mutex_);  // a message may arrive before Start has returned
  auto server = WorkerServer::Start(options, *this);
  if (!server) return tl::unexpected(server.error());
  server_ = std::move(*server);
  return {};
}

void FinishedJobServer::OnMessage(StreamId stream, engine::ToCoordinator message) {
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

}  // namespace evenkeel::coordinator
