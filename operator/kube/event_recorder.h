#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "operator/kube/event_book.h"
#include "operator/kube/server_access.h"

namespace evenkeel::kube {

struct EventRecorderOptions {
  EventReporter reporter;
  EventBookOptions book;
  std::size_t most_queued = 1000;  ///< events not looked at yet
  Duration request_timeout = std::chrono::seconds(10);
  Duration flush_time = std::chrono::seconds(3);  ///< at the end, for what is still to be written
};

/// What became of the events so far.
struct EventCounts {
  std::uint64_t recorded = 0;  ///< asked for
  std::uint64_t written = 0;   ///< requests that were taken
  std::uint64_t dropped = 0;   ///< queue full, object too talkative, or refused
};

/// Writes events.k8s.io/v1 events from a thread of its own. Needs create and patch of events.
/// Record() and Counts() are thread-safe; Start() and Stop() are for one owner.
class EventRecorder {
 public:
  /// `wall` must outlive it.
  EventRecorder(const ServerAccess& access, const WallClock& wall, EventRecorderOptions options);
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;
  ~EventRecorder();

  /// Never waits for the API server; drops the event when too many are queued. Before Start() too.
  void Record(Event event);

  /// Once.
  void Start();
  /// Writes what is left as far as that goes without trouble, then ends. At most flush_time and one
  /// request.
  void Stop();

  [[nodiscard]] EventCounts Counts() const;

 private:
  struct Noted {
    Event event;
    WallTime wall;
  };

  void Run(const std::stop_token& stop);
  void TakeNoted();
  void WaitForWork(const std::stop_token& stop);
  [[nodiscard]] EventOutcome Write(const EventWrite& write);
  /// False when nothing is due or there is trouble.
  bool WriteNext(Instant due_by);
  void Flush();

  const ServerAccess access_;
  const WallClock& wall_;
  const EventRecorderOptions options_;
  EventBook book_;
  std::string last_failure_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Noted> noted_;  // guarded by mutex_
  std::atomic<std::uint64_t> recorded_{0};
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::jthread thread_;
};

}  // namespace evenkeel::kube
