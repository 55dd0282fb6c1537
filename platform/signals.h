#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <thread>

#include "core/base/time.h"
#include "platform/file_descriptor.h"

namespace evenkeel::platform {

/// Whether the process ignores this signal, for example because it was started with nohup. A
/// blocked signal arrives even if it is ignored.
[[nodiscard]] bool IsIgnored(int signal);

/// Blocks signals of this process and receives them instead. Construct it before any other thread
/// starts: threads inherit which signals are blocked. They stay blocked after its end. Use it from
/// one thread at a time, except for Arrived and WaitFor, which are thread-safe.
class BlockedSignals {
 public:
  explicit BlockedSignals(std::initializer_list<int> signals);

  /// For poll(2): readable while a signal is pending.
  [[nodiscard]] int Descriptor() const { return file_.Get(); }
  /// Whether a signal is pending. Does not take it.
  [[nodiscard]] bool Arrived() const;
  /// Waits up to `duration` until a signal is pending, and returns whether one is. Does not take
  /// it.
  [[nodiscard]] bool WaitFor(Duration duration) const;
  /// Takes a pending signal, if there is one.
  [[nodiscard]] std::optional<int> Take();
  /// Waits for a signal and takes it.
  [[nodiscard]] int Wait();

 private:
  FileDescriptor file_;  // signalfd
};

/// Calls handlers of signals on a thread of its own, so that they are ordinary code. The signals
/// must outlive it; only this thread may take them meanwhile.
class SignalThread {
 public:
  struct Handlers {
    std::function<void(int signal)> on_signal;
    std::function<void()> on_tick{};  ///< optional; about every 100 ms, and after each signal
  };

  SignalThread(BlockedSignals& signals, Handlers handlers);
  /// Waits for a handler that is running. None is called afterwards.
  ~SignalThread();
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;

 private:
  void Run();

  BlockedSignals& signals_;
  Handlers handlers_;
  FileDescriptor stop_;  // eventfd
  std::thread thread_;
};

}  // namespace evenkeel::platform
