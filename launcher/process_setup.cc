#include "launcher/process_setup.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

#include "launcher/empty_input.h"
#include "launcher/item_lines.h"

namespace evenkeel::launcher {
namespace {

/// Commands get their own descriptors up to kControlDescriptor by dup2, which needs others to copy
/// from.
void OccupyDescriptorsOfCommands() {
  while (true) {
    const int lowest = ::open("/", O_RDONLY | O_CLOEXEC);
    if (lowest < 0) return;
    if (lowest > kControlDescriptor) {
      ::close(lowest);
      return;
    }
  }
}

/// Commands do not inherit the descriptors that this process inherited. (Kernels before 5.11 lack
/// the call.)
void KeepTheRestFromCommands() { ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC); }

/// Commands inherit ignored signals, and the parent of this process may have ignored some.
void TakeSignalsAsUsual() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
}

}  // namespace

int PrepareProcess() {
  OccupyDescriptorsOfCommands();
  KeepTheRestFromCommands();
  TakeSignalsAsUsual();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  static_cast<void>(EmptyInput());
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT}) ::sigaddset(&set, signal);
  const int signals = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  ::sigaddset(&set, SIGPIPE);  // a write to a pipe whose command has closed its end fails
  ::sigprocmask(SIG_SETMASK, &set, nullptr);
  return signals;
}

}  // namespace evenkeel::launcher
