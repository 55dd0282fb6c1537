#pragma once

#include <sys/types.h>

#include "launcher/protocol.h"

namespace evenkeel::launcher {

/// Everything that a command needs to start, as the system calls want it. Not owned.
struct Recipe {
  const char* const* programs = nullptr;  ///< paths to try, in order; ends with a null pointer
  char* const* words = nullptr;           ///< likewise
  char* const* variables = nullptr;       ///< likewise
  const char* folder = nullptr;           ///< null: stay
  int input = -1;     ///< becomes 0; -1: leaves it as it is, as for the next four
  int output = -1;    ///< becomes 1
  int error = -1;     ///< becomes 2
  int progress = -1;  ///< becomes kProgressDescriptor
  int control = -1;   ///< becomes kControlDescriptor. None of the five may be one that it replaces
  bool own_group = true;  ///< makes it the leader of a new process group
  pid_t parent = 0;       ///< this process
};

struct Spawned {
  pid_t pid = -1;                      ///< -1: nothing was started
  Ending ending = Ending::kNoProcess;  ///< why not
  int error = 0;
};

/// Starts the command with no signal blocked, to be killed with this process. Returns once the
/// program is loaded or could not be. Descriptors that it is not to inherit must be closed on exec.
/// The calling process must have one thread and no signal handlers.
[[nodiscard]] Spawned Spawn(const Recipe& recipe);

}  // namespace evenkeel::launcher
