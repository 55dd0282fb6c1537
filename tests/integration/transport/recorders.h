#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/worker_server.h"
#include "worker/coordinator_connection.h"

namespace evenkeel {

/// Long enough for a loaded machine; only a failing test waits for it.
inline constexpr std::chrono::seconds kPatience{30};

/// The Hello of a worker's process on this node.
[[nodiscard]] inline engine::Hello HelloOf(const std::string& node) {
  engine::Hello hello;
  hello.node = node;
  hello.incarnation = node + "-1";
  hello.workload = "primes";
  return hello;
}

/// Keeps what workers say. Thread-safe.
class RecordingServer final : public coordinator::StreamListener {
 public:
  void OnMessage(coordinator::StreamId stream, engine::ToCoordinator message) override {
    {
      const std::lock_guard lock(mutex_);
      messages_.emplace_back(stream, message);
      changed_.notify_all();
    }
    if (on_message) on_message(stream, message);
  }
  void OnClosed(coordinator::StreamId stream) override {
    const std::lock_guard lock(mutex_);
    ++closed_[stream];
    changed_.notify_all();
  }

  [[nodiscard]] bool AwaitMessages(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return messages_.size() >= count; });
  }
  [[nodiscard]] bool AwaitClosed(std::size_t streams) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return closed_.size() >= streams; });
  }
  [[nodiscard]] std::vector<std::pair<coordinator::StreamId, engine::ToCoordinator>> Messages() {
    const std::lock_guard lock(mutex_);
    return messages_;
  }
  /// Number of close notifications of each stream.
  [[nodiscard]] std::map<coordinator::StreamId, int> Closed() {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

  /// Set before the server starts.
  std::function<void(coordinator::StreamId, const engine::ToCoordinator&)> on_message;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<coordinator::StreamId, engine::ToCoordinator>> messages_;
  std::map<coordinator::StreamId, int> closed_;
};

/// Records the coordinator's messages. Thread-safe.
class RecordingWorker final : public worker::ConnectionListener {
 public:
  void OnMessage(engine::ToWorker message) override {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    changed_.notify_all();
  }
  void OnClosed(const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    reasons_.push_back(reason);
    changed_.notify_all();
  }

  [[nodiscard]] bool AwaitMessages(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return messages_.size() >= count; });
  }
  [[nodiscard]] bool AwaitClosed() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return !reasons_.empty(); });
  }
  [[nodiscard]] std::vector<engine::ToWorker> Messages() {
    const std::lock_guard lock(mutex_);
    return messages_;
  }
  [[nodiscard]] std::vector<std::string> Reasons() {
    const std::lock_guard lock(mutex_);
    return reasons_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<engine::ToWorker> messages_;
  std::vector<std::string> reasons_;
};

}  // namespace evenkeel
