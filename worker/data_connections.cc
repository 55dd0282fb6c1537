#include "worker/data_connections.h"

#include <chrono>
#include <cstddef>
#include <utility>

#include "core/base/log.h"
#include "core/protocol/limits.h"
#include "worker/channel.h"

namespace evenkeel::worker {
namespace {

constexpr std::size_t kMaxStubs = 64;
// With so many distrusted workers, all data are fetched from the coordinator.
constexpr std::size_t kMaxDistrusted = 1024;
// A worker that is dead delays others for so long.
constexpr auto kPeerConnectTimeout = std::chrono::seconds(2);

/// Lets a whole answer arrive before its first bytes are read.
ConnectionOptions ForData(ConnectionOptions connection) {
  connection.read_ahead_bytes = protocol::kMaxPieceBytes;
  return connection;
}

}  // namespace

DataConnections::DataConnections(ConnectionOptions home, std::string peer_name)
    : home_(ForData(std::move(home))), peer_name_(std::move(peer_name)) {}

std::shared_ptr<DataConnections::Stub> DataConnections::StubFor(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  if (stubs_.size() >= kMaxStubs && !stubs_.contains(peer)) {
    std::erase_if(stubs_, [](const auto& stub) { return !stub.first.empty(); });
  }
  auto& stub = stubs_[peer];
  if (stub == nullptr) {
    ConnectionOptions connection = home_;
    if (!peer.empty()) {
      connection.address = peer;
      connection.connect_timeout = kPeerConnectTimeout;
      connection.server_name = peer_name_;
    }
    stub = std::make_shared<Stub>(MakeChannel(connection));
  }
  return stub;
}

bool DataConnections::Trusts(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  return distrusted_.size() < kMaxDistrusted && !distrusted_.contains(peer);
}

void DataConnections::Distrust(const std::string& peer, const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    if (distrusted_.size() >= kMaxDistrusted || !distrusted_.insert(peer).second) return;
  }
  Log(LogLevel::kWarning, "worker " + peer + " sent wrong bytes of " + what +
                              "; these come from the coordinator, and nothing more is fetched from "
                              "that worker");
}

}  // namespace evenkeel::worker
