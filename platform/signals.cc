#include "platform/signals.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::platform {
namespace {

constexpr int kTickMilliseconds = 100;
constexpr int kForever = -1;

}  // namespace

bool IsIgnored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

BlockedSignals::BlockedSignals(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  EVENKEEL_CHECK(::pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0, "signals cannot be blocked");
  file_.Reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  EVENKEEL_CHECK(file_.IsOpen(), "signals cannot be received");
}

bool BlockedSignals::Arrived() const { return WaitFor(Duration::zero()); }

bool BlockedSignals::WaitFor(Duration duration) const {
  const std::int64_t milliseconds = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  const int timeout = static_cast<int>(std::clamp<std::int64_t>(milliseconds, 0, INT_MAX));
  pollfd watched{file_.Get(), POLLIN, 0};
  return ::poll(&watched, 1, timeout) > 0;
}

std::optional<int> BlockedSignals::Take() {
  signalfd_siginfo signal{};
  if (::read(file_.Get(), &signal, sizeof signal) != sizeof signal) return std::nullopt;
  return static_cast<int>(signal.ssi_signo);
}

int BlockedSignals::Wait() {
  for (;;) {
    if (const auto signal = Take()) return *signal;
    pollfd watched{file_.Get(), POLLIN, 0};
    ::poll(&watched, 1, kForever);
  }
}

SignalThread::SignalThread(BlockedSignals& signals, Handlers handlers)
    : signals_(signals), handlers_(std::move(handlers)), stop_(::eventfd(0, EFD_CLOEXEC)) {
  EVENKEEL_CHECK(stop_.IsOpen(), "there is no descriptor to stop the thread of signals");
  thread_ = std::thread([this] { Run(); });
}

SignalThread::~SignalThread() {
  const std::uint64_t one = 1;
  EVENKEEL_CHECK(::write(stop_.Get(), &one, sizeof one) == sizeof one,
                 "the thread of signals cannot be stopped");
  thread_.join();
}

void SignalThread::Run() {
  const int timeout = handlers_.on_tick ? kTickMilliseconds : kForever;
  for (;;) {
    std::array<pollfd, 2> watched{{{signals_.Descriptor(), POLLIN, 0}, {stop_.Get(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), timeout);
    if (watched[1].revents != 0) return;
    while (const auto signal = signals_.Take()) handlers_.on_signal(*signal);
    if (handlers_.on_tick) handlers_.on_tick();
  }
}

}  // namespace evenkeel::platform
