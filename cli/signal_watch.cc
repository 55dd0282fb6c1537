#include "cli/signal_watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::cli {
namespace {

constexpr int kTickMilliseconds = 100;

}  // namespace

SignalWatch::SignalWatch() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&signals, signal);
  EVENKEEL_CHECK(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0, "signals cannot be blocked");
  // A file that may not grow any more is an error of the write, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  stop_ = eventfd(0, EFD_CLOEXEC);
  EVENKEEL_CHECK(signals_ >= 0 && stop_ >= 0, "signals cannot be watched");
}

SignalWatch::~SignalWatch() {
  Stop();
  close(signals_);
  close(stop_);
}

void SignalWatch::Start(Handlers handlers) {
  handlers_ = std::move(handlers);
  thread_ = std::thread([this] { Watch(); });
}

void SignalWatch::Stop() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  EVENKEEL_CHECK(write(stop_, &one, sizeof one) == sizeof one, "the watch cannot be stopped");
  thread_.join();
}

void SignalWatch::AwaitStop(const std::function<bool()>& enough) {
  bool stopped = false;
  while (!stopped && !enough()) {
    pollfd watched{signals_, POLLIN, 0};
    poll(&watched, 1, kTickMilliseconds);
    signalfd_siginfo signal{};
    while (read(signals_, &signal, sizeof signal) == sizeof signal) {
      stopped = stopped || signal.ssi_signo != SIGCHLD;
    }
  }
}

void SignalWatch::Watch() {
  for (;;) {
    std::array<pollfd, 2> watched{{{signals_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    poll(watched.data(), watched.size(), kTickMilliseconds);
    if (watched[1].revents != 0) return;
    signalfd_siginfo signal{};
    while (read(signals_, &signal, sizeof signal) == sizeof signal) {
      if (signal.ssi_signo == SIGCHLD) {
        handlers_.on_child();
      } else {
        handlers_.on_stop();
      }
    }
    handlers_.on_tick();
  }
}

}  // namespace evenkeel::cli
