#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "launcher/protocol.h"
#include "platform/file_descriptor.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::command {

/// Time between SIGTERM and SIGKILL for a command that is stopped.
inline constexpr std::uint32_t kGraceMilliseconds = 1'000;

/// A connection to an evenkeel-launcher, which listens on a socket or is started by this object.
/// Stop and Limit are thread-safe; all other functions are for one thread.
class LauncherConnection {
 public:
  LauncherConnection() = default;
  /// The launcher ends the running command. Waits for the launcher's end if it was started here.
  ~LauncherConnection() { Close(); }
  LauncherConnection(const LauncherConnection&) = delete;
  LauncherConnection& operator=(const LauncherConnection&) = delete;

  /// Connects to the socket at `path`; retries until `timeout` has passed or `stop` is requested.
  /// kUnavailable: no process listens there; kInternal: the process is not a launcher of this
  /// version.
  [[nodiscard]] Result<void> Connect(const std::filesystem::path& path,
                                     std::chrono::milliseconds timeout,
                                     const std::stop_token& stop);
  /// Starts `program` as the launcher; empty: the one beside this program. Errors as of Connect.
  [[nodiscard]] Result<void> Start(std::filesystem::path program);
  [[nodiscard]] bool Open() const { return socket_ >= 0; }
  void Close();

  /// kUnavailable: the launcher has closed the connection, which is then closed here, too.
  [[nodiscard]] Result<void> Send(const launcher::Message& message);
  /// Receives the highest item that a command has reported so far.
  using ProgressHandler = std::function<void(std::int64_t item)>;
  /// To be called unless Open(): connects to the launcher of `options`, or starts one if they name
  /// no socket, and sends it the job. Errors as of Connect and Send.
  [[nodiscard]] Result<void> Prepare(const RunnerOptions& options, const launcher::Job& job,
                                     const std::stop_token& stop);
  /// Runs a command and waits for its end, which `stop` brings about. Errors as of AwaitEnd.
  [[nodiscard]] Result<launcher::Ended> Execute(const launcher::Run& run,
                                                const std::stop_token& stop,
                                                const ProgressHandler& on_progress = {});
  /// Waits for the answer to a Run, and calls `on_progress`, unless it is empty, on this thread for
  /// each Progress of the run. Errors as of Send; kInternal: the answer is invalid.
  [[nodiscard]] Result<launcher::Ended> AwaitEnd(std::uint64_t id,
                                                 const ProgressHandler& on_progress = {});
  /// A file in the directory of a task. `descriptor` is open with FileStatus::kFound.
  struct OpenedFile {
    launcher::OpenAnswer answer;
    platform::FileDescriptor descriptor;
  };
  /// Requests about the directory of a task, while no command runs. Answers may be wrong, because
  /// the launcher is in the user's container. Errors as of AwaitEnd.
  [[nodiscard]] Result<OpenedFile> OpenFile(const launcher::OpenRequest& request);
  [[nodiscard]] Result<launcher::FoundFiles> FindFiles(const launcher::FindRequest& request);
  [[nodiscard]] Result<launcher::RemoveAnswer> RemoveFolder(const launcher::RemoveRequest& request);
  /// The user of the launcher and so of its commands, while Open().
  [[nodiscard]] Result<uid_t> User() const;
  /// Asks the launcher to end a command. AwaitEnd still gets the answer to its Run.
  void Stop(std::uint64_t id);
  /// Asks a command to stop after `item` (0 to launcher::kMaxItem). Without effect if the command
  /// has ended, if its job does not follow progress, or after a limit that was as low.
  void Limit(std::uint64_t id, std::int64_t item);

 private:
  [[nodiscard]] Result<void> ConnectOnce(const std::filesystem::path& path);
  [[nodiscard]] Result<void> Handshake();
  [[nodiscard]] Result<launcher::Message> Receive();
  /// Reads some bytes, and a descriptor that comes with them. As recv(2).
  [[nodiscard]] ssize_t ReceiveSome(std::span<char> bytes);
  /// Sends a request and waits for its answer.
  template <typename Answer>
  [[nodiscard]] Result<Answer> Ask(const launcher::Message& request);
  /// For a message of few bytes, from any thread; lost if there is no connection.
  void SendIfOpen(const launcher::Message& message);

  std::mutex sending_;  // frames of several threads must not mix
  int socket_ = -1;
  pid_t launcher_ = -1;  // -1: not started here
  launcher::FrameReader incoming_;
  platform::FileDescriptor received_;  // the last one that came with a message
};

}  // namespace evenkeel::workloads::command
