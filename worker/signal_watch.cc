#include "worker/signal_watch.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace evenkeel::worker {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  // A blocked signal reaches sigwait even if it is ignored.
  struct sigaction interrupt {};
  ::sigaction(SIGINT, nullptr, &interrupt);
  if (interrupt.sa_handler != SIG_IGN) ::sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

SignalWatch::SignalWatch(std::function<void()> on_first) : on_first_(std::move(on_first)) {
  const sigset_t set = StopSignals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this, set] { Watch(set); });
}

SignalWatch::~SignalWatch() {
  over_ = true;
  ::pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void SignalWatch::Watch(const sigset_t& signals) {
  for (bool first = true;; first = false) {
    int signal = 0;
    while (::sigwait(&signals, &signal) != 0) {
    }
    if (over_) return;
    if (!first) std::_Exit(128 + signal);
    on_first_();
  }
}

void BelongToParent() {
  const pid_t parent = ::getppid();
  ::signal(SIGINT, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before prctl.
  if (::getppid() != parent) std::_Exit(128 + SIGKILL);
}

}  // namespace evenkeel::worker
