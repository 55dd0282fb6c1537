#pragma once

#include <poll.h>

#include <array>
#include <optional>
#include <string>

#include "launcher/command.h"
#include "launcher/protocol.h"

namespace evenkeel::launcher {

/// One connection of a worker: its job and the command that runs for it. Not thread-safe.
class Session {
 public:
  /// Owns the socket, a connected stream.
  explicit Session(int socket);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The descriptors it waits for; poll(2) skips those that are closed.
  using Watched = std::array<pollfd, 5>;
  [[nodiscard]] Watched Watch() const;
  /// Goes on with what poll(2) found, and does what is due.
  void Proceed(const pollfd* found);
  /// Its command has ended and waits to be collected.
  void Collect();
  /// The process of its command; -1 if none runs.
  [[nodiscard]] pid_t Process() const { return command_.Process(); }
  /// When Proceed has something to do, whatever poll(2) finds; nothing if it has not.
  [[nodiscard]] std::optional<SteadyClock::time_point> NextDeadline() const {
    return command_.NextDeadline();
  }
  /// Ends the command at once, without a message.
  void Abandon();
  /// The worker has gone, and its command too.
  [[nodiscard]] bool Over() const { return socket_ < 0 && !command_.Running(); }

 private:
  void Receive();
  void Take(const Message& message);
  void TakeJob(const Job& job);
  void TakeRun(const Run& run);
  void TakeStop(const Stop& stop);
  void TakeLimit(const Limit& limit);
  void TakeOpen(const OpenRequest& request);
  void TakeFind(const FindRequest& request);
  void TakeRemove(const RemoveRequest& request);
  /// Whether a request about the directory of a task comes at its time; else closes the connection.
  [[nodiscard]] bool InTurn();
  void ReportProgress(std::uint64_t id);
  void Send(const Message& message);
  void Flush();
  /// Sends some of `outgoing_` from `begin` on, with `attached_` if there is such. As send(2).
  [[nodiscard]] ssize_t SendSome(std::size_t begin);
  /// The worker has gone or talks nonsense: its command has to end.
  void Close(const char* reason = nullptr);

  int socket_;
  FrameReader incoming_;
  std::string outgoing_;
  int attached_ = -1;  // descriptor that goes with the next byte of outgoing_; owned
  bool greeted_ = false;
  std::optional<CommandLine> line_;
  Command command_;
};

}  // namespace evenkeel::launcher
