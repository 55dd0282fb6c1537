#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/engine/effects.h"
#include "core/protocol/transport_settings.h"

namespace evenkeel::protocol {
class ChunkSource;
class FileSource;
}  // namespace evenkeel::protocol

namespace evenkeel::coordinator {

/// One worker's stream; never used twice in one process.
using engine::StreamId;

/// Receives the workers' messages. Called on the server's threads: one call at a time for one
/// stream, in the order of the stream, several streams at once. Never called after
/// WorkerServer::Shutdown has returned. Must not wait: other streams may need the thread.
class StreamListener {
 public:
  virtual ~StreamListener() = default;
  virtual void OnMessage(StreamId stream, engine::ToCoordinator message) = 0;
  /// The last call for a stream, exactly once, whichever side ended it and whether or not it sent a
  /// message.
  virtual void OnClosed(StreamId stream) = 0;
  /// Asked after the messages of each read. If false, the stream is not read until
  /// WorkerServer::ReadOn.
  [[nodiscard]] virtual bool MayReadOn(StreamId stream) {
    static_cast<void>(stream);
    return true;
  }
};

struct ServerOptions {
  std::string address = "127.0.0.1:0";       ///< port 0: any that is free
  std::optional<protocol::TlsIdentity> tls;  ///< without it anybody may connect: loopback only
  /// With TLS: a DNS name that a worker's certificate must have. Empty: any.
  std::string client_name;
  /// With TLS: the job whose workers are let in. The certificate of a worker must have exactly one
  /// URI, WorkerUri of this namespace and job, and its Hello must be of the node in it. Both empty:
  /// any certificate that our authority has signed will do.
  std::string namespace_name;
  std::string job;
  protocol::KeepAlive keep_alive;
  /// Input data that workers may ask for, or null; must outlive the server.
  protocol::ChunkSource* chunks = nullptr;
  /// Lists input files and takes output files, or null; must outlive the server.
  protocol::FileSource* files = nullptr;
  std::string data_token;           ///< that workers have to show to both; empty: none
  std::size_t max_streams = 20000;  ///< further ones are refused
  Duration shutdown_grace = std::chrono::seconds(2);  ///< for the last messages to be taken
};

/// The coordinator's end of all workers' streams. Thread-safe; Send, Close and Counters may be
/// called from the listener too.
class WorkerServer {
 public:
  /// Listens; `listener` must live until Shutdown has returned. Errors: kUnavailable (the address
  /// cannot be had, or the certificates are no good).
  [[nodiscard]] static Result<std::unique_ptr<WorkerServer>> Start(const ServerOptions& options,
                                                                   StreamListener& listener);
  /// Shuts down.
  virtual ~WorkerServer() = default;

  [[nodiscard]] virtual std::uint16_t Port() const = 0;
  /// Queues a message and returns at once. Nothing happens if the stream is gone; a stream whose
  /// queue grows beyond protocol::kMaxQueuedBytes is cut.
  virtual void Send(StreamId stream, engine::ToWorker message) = 0;
  /// Ends the stream after what is queued for it.
  virtual void Close(StreamId stream) = 0;
  /// Reads a stream again after StreamListener::MayReadOn said no. Does nothing if it is gone.
  virtual void ReadOn(StreamId stream) = 0;
  [[nodiscard]] virtual protocol::Traffic Counters() const = 0;
  /// Ends all streams after what is queued for them, cuts those that do not take it within
  /// `shutdown_grace`, and returns when all are gone. Not to be called from the listener.
  virtual void Shutdown() = 0;
};

}  // namespace evenkeel::coordinator
