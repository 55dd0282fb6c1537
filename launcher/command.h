#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "launcher/captured_pipe.h"
#include "launcher/command_line.h"
#include "launcher/protocol.h"

namespace evenkeel::launcher {

using SteadyClock = std::chrono::steady_clock;

/// One command at a time, from its start until its whole process group is dead. Not thread-safe.
class Command {
 public:
  /// Starts it. Nothing means that it runs; else why it does not.
  [[nodiscard]] std::optional<Ended> Start(std::uint64_t id, const CommandLine& line);

  [[nodiscard]] bool Running() const { return pid_ > 0; }
  [[nodiscard]] pid_t Process() const { return pid_; }
  [[nodiscard]] std::uint64_t Id() const { return id_; }
  [[nodiscard]] const CapturedPipe& Output() const { return output_; }
  [[nodiscard]] const CapturedPipe& Error() const { return error_; }
  /// Reads some of what it has written.
  void ReadOutput() { output_.Read(kMostAtOnce); }
  void ReadError() { error_.Read(kMostAtOnce); }

  /// SIGTERM now, SIGKILL after the grace. A second time changes nothing.
  void Stop(std::chrono::milliseconds grace);
  /// When KillIfDue has something to do; nothing if it has not.
  [[nodiscard]] std::optional<SteadyClock::time_point> KillTime() const { return kill_at_; }
  void KillIfDue();
  void Kill() const;

  /// Its process has ended and waits to be collected: kills the rest of the group, collects it and
  /// reads the pipes to their ends.
  [[nodiscard]] Ended Collect();

 private:
  // Of one pipe, before the others have their turn.
  static constexpr std::size_t kMostAtOnce = 1 << 20;

  pid_t pid_ = -1;  // also the number of the process group
  std::uint64_t id_ = 0;
  SteadyClock::time_point started_{};
  std::optional<SteadyClock::time_point> kill_at_;
  bool stopped_ = false;
  CapturedPipe output_;
  CapturedPipe error_;
};

}  // namespace evenkeel::launcher
