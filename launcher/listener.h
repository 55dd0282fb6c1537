#pragma once

#include <sys/types.h>

#include <set>
#include <string>

namespace evenkeel::launcher {

/// `evenkeel-launcher serve SOCKET`: listens, and makes a process for each worker's connection, so
/// that commands are started side by side: a process waits while a program is loaded for its child.
/// It collects what becomes its child, as process 1 of a container has to. One thread.
class Listener {
 public:
  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Listens at this path, for all users that may reach it; replaces an existing socket.
  /// Returns what went wrong, empty if nothing did.
  [[nodiscard]] std::string Listen(const std::string& path);

  /// Serves until SIGTERM or SIGINT. Then it listens no more, lets the workers that are connected
  /// end in their own time, and returns when none is left; a second signal ends their commands.
  /// When it returns no command is left.
  void Run();

 private:
  void Accept();
  void EndListening();
  void CollectChildren();

  int signals_;
  int listener_ = -1;
  std::string path_;
  std::set<pid_t> services_;  // a process a connection
};

}  // namespace evenkeel::launcher
