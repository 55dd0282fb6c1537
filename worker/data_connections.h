#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "worker/coordinator_connection.h"

namespace evenkeel::worker {

/// The connections over which a worker exchanges data with the coordinator and fetches them from
/// other workers, and which of these are not asked any more because they have sent wrong bytes.
/// They are made when they are first used. Thread-safe.
class DataConnections {
 public:
  /// A request and its answer.
  struct Answer {
    grpc::ClientContext context;
    grpc::ByteBuffer request;
    grpc::ByteBuffer response;
    grpc::Status status;
  };

  /// `home`: the coordinator. `peer_name`: in the certificates of other workers.
  DataConnections(ConnectionOptions home, std::string peer_name);

  /// Asks the coordinator until it answers, and waits while it is away. The status of the answer is
  /// OK or NOT_FOUND. kInvalidInput: the request cannot be met; kConflict: as FileSource;
  /// kUnavailable: the coordinator refuses it, or `stop` is requested.
  [[nodiscard]] Result<std::shared_ptr<Answer>> AskHome(const char* method,
                                                        const grpc::ByteBuffer& request,
                                                        const std::stop_token& stop);
  /// One request to "HOST:PORT" of another worker; an empty `peer` is the coordinator.
  [[nodiscard]] std::shared_ptr<Answer> Ask(const std::string& peer, const char* method,
                                            const grpc::ByteBuffer& request,
                                            const std::stop_token& stop);
  /// False for a worker that was distrusted, and for all if very many were.
  [[nodiscard]] bool Trusts(const std::string& peer);
  /// The worker has sent wrong bytes of `what`, which a line in the log says once.
  void Distrust(const std::string& peer, const std::string& what);

  /// The error of what has ended because `stop` was requested.
  [[nodiscard]] static tl::unexpected<Error> Stopped();
  /// Waits before a request is repeated, unless `stop` is requested.
  static void Pause(const std::stop_token& stop);

 private:
  using Stub = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;

  /// An empty `peer` is the coordinator.
  [[nodiscard]] std::shared_ptr<Stub> StubFor(const std::string& peer);

  const ConnectionOptions home_;
  const std::string peer_name_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, std::shared_ptr<Stub>> stubs_;
  std::set<std::string> distrusted_;
};

}  // namespace evenkeel::worker
