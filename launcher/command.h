#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "launcher/command_line.h"
#include "launcher/command_pipes.h"
#include "launcher/memory_kills.h"
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

  /// Where to wait for its progress; -1 during kProgressInterval after ReadProgress, and if it
  /// reports none.
  [[nodiscard]] int ProgressDescriptor() const {
    return read_progress_at_ ? -1 : progress_.Descriptor();
  }
  void ReadProgress();
  /// The highest item that it has reported, if it is higher than at the last call.
  [[nodiscard]] std::optional<std::int64_t> TakeProgress() { return progress_.TakeNewHighest(); }
  /// Asks it to stop after this item.
  void Limit(std::int64_t item) { control_.Limit(item); }
  /// Where to wait for room for a limit; -1 if all are written.
  [[nodiscard]] int ControlDescriptor() const { return control_.DescriptorToWrite(); }
  void WriteLimit() { control_.Write(); }

  /// SIGTERM now, SIGKILL after the grace. A second time changes nothing.
  void Stop(std::chrono::milliseconds grace);
  /// When HandleDeadlines has something to do; nothing if it has not.
  [[nodiscard]] std::optional<SteadyClock::time_point> NextDeadline() const;
  /// Kills it after the grace, and lets its progress be read again after kProgressInterval.
  void HandleDeadlines();
  void Kill() const;

  /// Its process has ended and waits to be collected: kills the rest of the group, collects it and
  /// reads the pipes to their ends.
  [[nodiscard]] Ended Collect();

 private:
  // Of one pipe, before the others have their turn.
  static constexpr std::size_t kMostAtOnce = 1 << 20;

  /// The command's ends of its pipes; -1 where there is none.
  struct Ends {
    int output = -1;
    int error = -1;
    int progress = -1;
    int control = -1;
  };
  /// False and errno: not all could be made.
  [[nodiscard]] bool OpenPipes(const Job& job, Ends& ends);
  void ClosePipes();

  pid_t pid_ = -1;  // also the number of the process group
  std::uint64_t id_ = 0;
  SteadyClock::time_point started_{};
  std::optional<SteadyClock::time_point> kill_at_;
  std::optional<SteadyClock::time_point> read_progress_at_;  // no earlier; nothing: at any time
  MemoryKills memory_kills_;  // of this process's control group, which is that of the commands
  std::int64_t memory_kills_before_ = 0;
  bool stopped_ = false;
  CapturedPipe output_;
  CapturedPipe error_;
  ProgressPipe progress_;
  ControlPipe control_;
};

}  // namespace evenkeel::launcher
