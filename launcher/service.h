#pragma once

#include <array>

#include "launcher/session.h"

namespace evenkeel::launcher {

/// Starts commands for one worker: a loop over its connection, its command and signals.
/// The process was made ready by PrepareProcess and has one thread.
class Service {
 public:
  /// `signals` is what PrepareProcess gave, `socket` is connected; both are its own.
  Service(int socket, int signals);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Serves until the worker leaves; SIGTERM and SIGINT end it at once. When it returns, no command
  /// is left, nor what commands have left behind.
  void Run();

 private:
  void Wait();
  void CollectChildren();
  [[nodiscard]] int MillisecondsToWait() const;

  Session session_;
  int signals_;
  std::array<pollfd, 1 + Session::Watched().size()> watched_{};  // the signals, then the session's
};

}  // namespace evenkeel::launcher
