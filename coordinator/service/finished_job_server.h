#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "coordinator/worker_server.h"

namespace evenkeel::coordinator {

/// Tells workers that connect after the job is over to finish, so that they do not wait forever: a
/// worker that was cut off at the end, or was restarted.
class FinishedJobServer final : private StreamListener {
 public:
  /// Listens where the job did. `reason` is one line. Errors as of WorkerServer::Start.
  [[nodiscard]] static Result<std::unique_ptr<FinishedJobServer>> Start(
      const ServerOptions& options, const std::string& reason);
  /// Stops listening.
  ~FinishedJobServer() override;

 private:
  explicit FinishedJobServer(std::string reason);
  Result<void> Listen(const ServerOptions& options);
  void OnMessage(StreamId stream, engine::ToCoordinator message) override;
  void OnClosed(StreamId) override {}

  const std::string reason_;
  std::mutex mutex_;
  std::unique_ptr<WorkerServer> server_;  // guarded by mutex_
};

}  // namespace evenkeel::coordinator
