#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace evenkeel::http {

/// The open connections of a server. Decides which one is closed when there are too many: the one
/// that has been idle longest. A connection is busy from the time its request has arrived as a
/// whole until the response is sent; otherwise it is idle. Thread-safe.
class ConnectionTable {
 public:
  using Id = std::uint64_t;

  ConnectionTable(std::size_t max_connections, std::size_t max_per_address)
      : max_connections_(max_connections), max_per_address_(max_per_address) {}

  /// Adds an idle connection from `address`. If there are too many from that address, or in total,
  /// removes the one that has been idle longest and calls its `close`. Nothing if all are busy: the
  /// new connection must be closed. `close` is called at most once, on a thread that calls Admit.
  [[nodiscard]] std::optional<Id> Admit(const std::string& address, std::function<void()> close);
  /// Marks a connection as busy. False if it was removed to make room.
  [[nodiscard]] bool BeginRequest(Id id);
  void EndRequest(Id id);
  /// Does nothing if the connection was removed before.
  void Remove(Id id);

 private:
  struct Connection {
    std::string address;
    std::function<void()> close;
    bool busy = false;
    std::uint64_t idle_since = 0;  ///< larger is later
  };
  using Connections = std::map<Id, Connection>;
  /// The connection to remove, of `address` only or of all if that is null. `end` if all are busy.
  [[nodiscard]] Connections::iterator LongestIdle(const std::string* address);

  const std::size_t max_connections_;
  const std::size_t max_per_address_;
  std::mutex mutex_;  // guards what follows
  Connections connections_;
  std::map<std::string, std::size_t> per_address_;
  Id next_id_ = 0;
  std::uint64_t next_idle_ = 0;
};

}  // namespace evenkeel::http
