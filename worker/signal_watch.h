#pragma once

#include <signal.h>

#include <atomic>
#include <functional>
#include <thread>

namespace evenkeel::worker {

/// Waits for SIGTERM and, unless it is ignored, SIGINT on a thread of its own, so that the
/// handler is ordinary code.
class SignalWatch {
 public:
  /// Construct it before any other thread of the process starts: threads inherit that these signals
  /// are blocked. `on_first` is called with the first signal; a second one ends the process at once
  /// with 128 + its number.
  explicit SignalWatch(std::function<void()> on_first);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void Watch(const sigset_t& signals);

  std::function<void()> on_first_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

/// For workers that are children of a local run: Ctrl-C in the terminal reaches the whole
/// process group and is handled by the parent, and no worker outlives the thread that started it,
/// even if that is killed. Ends the process if the parent dies meanwhile.
void BelongToParent();

}  // namespace evenkeel::worker
