#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/engine/messages.h"
#include "core/protocol/transport_settings.h"

namespace evenkeel::worker {

/// Receives the messages of the coordinator. Called on the connection's threads, one call at a
/// time, in the order of the stream. While OnMessage runs, no more is read.
class ConnectionListener {
 public:
  virtual ~ConnectionListener() = default;
  virtual void OnMessage(engine::ToWorker message) = 0;
  /// The last call, exactly once and at the latest before the connection's destructor returns.
  /// `reason` is one line for the log.
  virtual void OnClosed(const std::string& reason) = 0;
};

struct ConnectionOptions {
  std::string address;                       ///< "host:port"
  std::optional<protocol::TlsIdentity> tls;  ///< without it the stream is open: loopback only
  std::string server_name;  ///< name in the coordinator's certificate, if not the host
  protocol::KeepAlive keep_alive;
  Duration connect_timeout = std::chrono::seconds(5);  ///< for one attempt, handshake included
  Duration close_grace = std::chrono::seconds(2);      ///< for the last messages after Close
  std::int64_t read_ahead_bytes =
      0;  ///< of one answer before it is taken; 0: gRPC begins with 64 KiB
};

/// One stream to the coordinator. It is not opened again when it breaks: that is the caller's
/// policy, with a new object each time. An idle stream uses no CPU. Thread-safe; not to be
/// destroyed by its listener.
class CoordinatorConnection {
 public:
  /// Starts to connect and returns at once; `listener` must live until the destructor has returned.
  /// Messages may be sent at once. Every failure arrives as OnClosed.
  [[nodiscard]] static std::unique_ptr<CoordinatorConnection> Connect(
      const ConnectionOptions& options, ConnectionListener& listener);
  /// Cuts the stream; after Close, waits up to `close_grace` for it to end by itself.
  virtual ~CoordinatorConnection() = default;

  /// Queues a message and returns at once; nothing happens if the stream is over. A stream whose
  /// queue grows beyond protocol::kMaxQueuedBytes is cut.
  virtual void Send(engine::ToCoordinator message) = 0;
  /// Half-closes the stream: nothing more will be sent. The stream ends when the coordinator ends
  /// it, too.
  virtual void Close() = 0;
  [[nodiscard]] virtual protocol::Traffic Counters() const = 0;
};

}  // namespace evenkeel::worker
