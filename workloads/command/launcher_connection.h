#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "launcher/protocol.h"

namespace evenkeel::workloads::command {

/// A connection to an evenkeel-launcher that listens or was started for it alone. All of it is for
/// one thread, Stop for any.
class LauncherConnection {
 public:
  LauncherConnection() = default;
  /// The launcher ends the command that runs; if it was started here, this waits for its end.
  ~LauncherConnection() { Close(); }
  LauncherConnection(const LauncherConnection&) = delete;
  LauncherConnection& operator=(const LauncherConnection&) = delete;

  /// Connects to the socket at `path`, for as long as it takes but `patience` and until `stop`.
  /// kUnavailable: nobody listens there; kInternal: whoever does is no launcher of this version.
  [[nodiscard]] Result<void> Connect(const std::filesystem::path& path,
                                     std::chrono::milliseconds patience,
                                     const std::stop_token& stop);
  /// Starts `program` as its launcher; empty: the one beside this program. Errors as of Connect.
  [[nodiscard]] Result<void> Start(std::filesystem::path program);
  [[nodiscard]] bool Open() const { return socket_ >= 0; }
  void Close();

  /// kUnavailable: the launcher has gone. The connection is closed then.
  [[nodiscard]] Result<void> Send(const launcher::Message& message);
  /// Waits for the answer to a Run. Errors as of Send; kInternal: it was none.
  [[nodiscard]] Result<launcher::Ended> AwaitEnd(std::uint64_t id);
  /// Asks for the end of a command; its answer comes all the same.
  void Stop(std::uint64_t id);

 private:
  [[nodiscard]] Result<void> ConnectOnce(const std::filesystem::path& path);
  [[nodiscard]] Result<void> Greet();
  [[nodiscard]] Result<launcher::Message> Receive();

  std::mutex sending_;  // frames of several threads must not mix
  int socket_ = -1;
  pid_t launcher_ = -1;  // -1: not ours
  launcher::FrameReader incoming_;
};

}  // namespace evenkeel::workloads::command
