#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "platform/signals.h"

namespace evenkeel::cli {

/// A program that runs beside this one, its two outputs read through pipes. It is
/// found by PATH and started without a shell. Used by one thread.
class ChildProcess {
 public:
  /// `input`: what it reads from its standard input. Errors: kUnavailable (there is no such
  /// program, no resources).
  [[nodiscard]] static Result<ChildProcess> Start(const std::vector<std::string>& command,
                                                  const std::string& input = "");
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Ends it: SIGTERM, a second later SIGKILL.
  ~ChildProcess();

  /// Reads what has been written meanwhile, waiting until there is something, or an output is
  /// closed, or `stop` has come, but no longer than `patience`. Reads and drops
  /// the rest of an output after `max_bytes`. False once both outputs are closed.
  bool Read(Duration patience, const platform::BlockedSignals& stop, std::size_t max_bytes);
  /// Everything that was read so far.
  [[nodiscard]] const std::string& Out() const { return texts_[0]; }
  [[nodiscard]] const std::string& Err() const { return texts_[1]; }
  /// Whether something was dropped.
  [[nodiscard]] bool Overflowed() const { return overflowed_; }

  /// The exit code once it has ended (128 + n if signal n did it); nothing while it runs.
  [[nodiscard]] std::optional<int> Exit();
  /// Waits for the end, at most so long.
  [[nodiscard]] std::optional<int> WaitForExit(Duration patience,
                                               const platform::BlockedSignals& stop);

 private:
  ChildProcess(pid_t pid, std::array<int, 2> pipes) : pid_(pid), pipes_(pipes) {}
  void ReadFrom(std::size_t which, std::size_t max_bytes);

  pid_t pid_ = -1;            // -1: ended and collected
  std::array<int, 2> pipes_;  // -1: closed
  std::array<std::string, 2> texts_;
  bool overflowed_ = false;
  std::optional<int> exit_;
};

}  // namespace evenkeel::cli
