#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::platform {

/// Parameters of a new process. It inherits everything else from this one.
struct ProcessOptions {
  /// The program and its arguments, at least one word. No shell is involved.
  std::vector<std::string> command;
  bool search_path = false;  ///< look the program up in PATH unless its name has a slash
  /// NAME=VALUE; null for the environment of this process.
  const std::vector<std::string>* environment = nullptr;
  bool own_process_group = false;  ///< Ctrl-C at the terminal does not reach it
  bool no_input = false;           ///< its standard input is /dev/null
  /// Descriptors of this process and their numbers in the new one.
  std::vector<std::pair<int, int>> descriptors{};
};

/// Starts a process in which no signal is blocked, and SIGINT, SIGTERM and SIGPIPE have their
/// default actions. The caller collects it (waitpid). Thread-safe. Errors (kUnavailable): "PROGRAM
/// cannot be started: REASON".
[[nodiscard]] Result<pid_t> StartProcess(const ProcessOptions& options);

}  // namespace evenkeel::platform
