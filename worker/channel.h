#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "worker/coordinator_connection.h"

namespace evenkeel::worker {

/// A connection of its own to the address, made when it is first used.
[[nodiscard]] std::shared_ptr<grpc::Channel> MakeChannel(const ConnectionOptions& options);

}  // namespace evenkeel::worker
