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
  int input = -1;                         ///< become 0, 1 and 2; must not be among these
  int output = -1;
  int error = -1;
  pid_t launcher = 0;  ///< this process
};

struct Spawned {
  pid_t pid = -1;                      ///< -1: nothing was started
  Ending ending = Ending::kNoProcess;  ///< why not
  int error = 0;
};

/// Starts the command in a process group of its own, with no signal blocked, to be killed with this
/// process. Returns once the program is loaded or could not be. Descriptors other than the three
/// must be closed on exec. The calling process must have one thread and no signal handlers.
[[nodiscard]] Spawned Spawn(const Recipe& recipe);

}  // namespace evenkeel::launcher
