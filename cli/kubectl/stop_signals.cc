#include "cli/kubectl/stop_signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "core/base/check.h"

namespace evenkeel::cli {

StopSignals::StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  EVENKEEL_CHECK(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0, "signals cannot be blocked");
  descriptor_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  EVENKEEL_CHECK(descriptor_ >= 0, "signals cannot be watched");
}

StopSignals::~StopSignals() { close(descriptor_); }

bool StopSignals::Arrived() const { return WaitFor(Duration::zero()); }

bool StopSignals::WaitFor(Duration duration) const {
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  const int timeout = static_cast<int>(std::clamp<std::int64_t>(whole, 0, INT_MAX));
  // The signal is left where it is: it is for everybody who looks.
  pollfd watched{descriptor_, POLLIN, 0};
  return poll(&watched, 1, timeout) > 0;
}

}  // namespace evenkeel::cli
