#pragma once

#include <memory>
#include <string>

#include "coordinator/worker_server.h"

namespace evenkeel::coordinator {

/// Tells workers that come when the job is over to finish, so that they do not wait for ever: one
/// that was cut off at the end, or was started again.
class Farewell {
 public:
  /// Listens where the job did. `reason` is one line. Errors as of WorkerServer::Start.
  [[nodiscard]] static Result<std::unique_ptr<Farewell>> Start(const ServerOptions& options,
                                                               const std::string& reason);
  /// Stops listening.
  virtual ~Farewell() = default;
};

}  // namespace evenkeel::coordinator
