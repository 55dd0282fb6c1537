#pragma once

#include <functional>
#include <thread>

namespace evenkeel::cli {

/// Takes SIGINT, SIGTERM and SIGCHLD away from the process and tells them on a thread of its own;
/// ignores SIGXFSZ.
/// To be made before any other thread is started, because these inherit the blocked signals.
class SignalWatch {
 public:
  struct Handlers {
    std::function<void()> on_stop;   ///< SIGINT or SIGTERM
    std::function<void()> on_child;  ///< SIGCHLD
    std::function<void()> on_tick;   ///< about every 100 ms, for pauses that have to end
  };

  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Handlers are called on the watch's thread until Stop has returned.
  void Start(Handlers handlers);
  void Stop();
  /// Waits here, while nothing is watched, for SIGINT or SIGTERM, or until `enough` says so, which
  /// is asked about every 100 ms.
  void AwaitStop(const std::function<bool()>& enough);

 private:
  void Watch();

  Handlers handlers_;
  int signals_ = -1;  // signalfd
  int stop_ = -1;     // eventfd
  std::thread thread_;
};

}  // namespace evenkeel::cli
