#include "launcher/service.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "launcher/heard_signals.h"
#include "launcher/strays.h"

namespace evenkeel::launcher {

Service::Service(int socket, int signals) : session_(socket), signals_(signals) {}

Service::~Service() { ::close(signals_); }

void Service::Run() {
  while (!session_.Over()) {
    Wait();
    session_.Proceed(&watched_[1]);
    if (watched_[0].revents == 0) continue;
    const HeardSignals heard = ReadSignals(signals_);
    if (heard.end) session_.Abandon();
    if (heard.child) CollectChildren();
  }
  KillStrays();
}

void Service::Wait() {
  const Session::Watched of_session = session_.Watch();
  pollfd* const signals = watched_.data();  // gcc takes &watched_[0] for one only
  *signals = {signals_, POLLIN, 0};
  std::copy(of_session.begin(), of_session.end(), signals + 1);
  if (::poll(watched_.data(), watched_.size(), MillisecondsToWait()) < 0) {
    for (pollfd& one : watched_) one.revents = 0;
  }
}

int Service::MillisecondsToWait() const {
  const auto due = session_.NextDeadline();
  if (!due) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - SteadyClock::now());
  return static_cast<int>(std::max<long long>(left.count(), 0));
}

void Service::CollectChildren() {
  while (true) {
    // Not collected yet: until it is, the number of its process group stays its own.
    siginfo_t ended{};
    if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) return;
    if (ended.si_pid == session_.Process()) {
      session_.Collect();
    } else {
      ::waitpid(ended.si_pid, nullptr, 0);  // an orphan that a command has left
    }
  }
}

}  // namespace evenkeel::launcher
