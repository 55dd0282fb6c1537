#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "worker/coordinator_connection.h"

namespace evenkeel::worker {

/// The connections over which a worker fetches data, from the coordinator and from other workers,
/// and which of these are not asked any more because they have sent wrong bytes. Thread-safe.
class DataConnections {
 public:
  using Stub = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;

  /// `home`: the coordinator. `peer_name`: in the certificates of other workers.
  DataConnections(ConnectionOptions home, std::string peer_name);

  /// A connection to "HOST:PORT" of another worker; an empty `peer` is the coordinator. It is made
  /// when it is first used.
  [[nodiscard]] std::shared_ptr<Stub> StubFor(const std::string& peer);
  /// False for a worker that was distrusted, and for all if very many were.
  [[nodiscard]] bool Trusts(const std::string& peer);
  /// The worker has sent wrong bytes of `what`, which a line in the log says once.
  void Distrust(const std::string& peer, const std::string& what);

 private:
  const ConnectionOptions home_;
  const std::string peer_name_;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, std::shared_ptr<Stub>> stubs_;
  std::set<std::string> distrusted_;
};

}  // namespace evenkeel::worker
