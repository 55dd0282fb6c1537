#include "launcher/heard_signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace evenkeel::launcher {

HeardSignals ReadSignals(int descriptor) {
  HeardSignals heard;
  signalfd_siginfo one{};
  while (::read(descriptor, &one, sizeof one) == sizeof one) {
    (one.ssi_signo == SIGCHLD ? heard.child : heard.end) = true;
  }
  return heard;
}

}  // namespace evenkeel::launcher
