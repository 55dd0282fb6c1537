#include "launcher/spawn.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace evenkeel::launcher {
namespace {

/// The child writes it into the memory that it shares with its parent until execve. Volatile, or
/// the compiler removes the writes before the child's end, because it sees no reader.
struct Trouble {
  Ending ending;
  int error;
};

[[noreturn]] void GiveUp(volatile Trouble& trouble, Ending ending, int error) {
  trouble.ending = ending;
  trouble.error = error;
  ::_exit(127);
}

/// Whether the next place of a search may still have the program.
bool MayBeElsewhere(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP ||
         error == ENAMETOOLONG;
}

/// False and errno if that fails. -1 leaves the number as it is.
bool Place(int descriptor, int number) { return descriptor < 0 || ::dup2(descriptor, number) >= 0; }

bool PlaceDescriptors(const Recipe& recipe) {
  return Place(recipe.input, STDIN_FILENO) && Place(recipe.output, STDOUT_FILENO) &&
         Place(recipe.error, STDERR_FILENO) && Place(recipe.progress, kProgressDescriptor) &&
         Place(recipe.control, kControlDescriptor);
}

/// Everything here has to be fit for the memory of another process: system calls only.
[[noreturn, gnu::noinline]] void Become(const Recipe& recipe, volatile Trouble& trouble) {
  if (recipe.own_group) ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != recipe.parent) ::_exit(127);  // it was killed before that was in place
  if (!PlaceDescriptors(recipe)) GiveUp(trouble, Ending::kNoProcess, errno);
  if (recipe.folder != nullptr && ::chdir(recipe.folder) != 0) {
    GiveUp(trouble, Ending::kNoFolder, errno);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int error = ENOENT;
  for (const char* const* program = recipe.programs; *program != nullptr; ++program) {
    ::execve(*program, recipe.words, recipe.variables);
    if (error != EACCES) error = errno;  // "not permitted" says more than "not there"
    if (!MayBeElsewhere(errno)) break;
  }
  GiveUp(trouble, Ending::kNoProgram, error);
}

}  // namespace

Spawned Spawn(const Recipe& recipe) {
  volatile Trouble trouble{Ending::kNoProcess, 0};
  const pid_t pid = ::vfork();
  if (pid == 0) Become(recipe, trouble);
  if (pid < 0) return {-1, Ending::kNoProcess, errno};
  if (trouble.error == 0) return {pid, {}, 0};
  ::waitpid(pid, nullptr, 0);
  return {-1, trouble.ending, trouble.error};
}

}  // namespace evenkeel::launcher
