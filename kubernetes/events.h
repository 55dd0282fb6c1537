#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/time.h"
#include "kubernetes/object.h"
#include "kubernetes/time.h"
#include "kubernetes/transport.h"

namespace evenkeel::kube {

/// The object that an event is about.
struct ObjectReference {
  std::string api_version;
  std::string kind;
  ObjectKey key;
  std::string uid;
};

enum class EventType { kNormal, kWarning };

/// Something that happened to an object, for people: `kubectl describe` shows it.
struct Event {
  ObjectReference regarding;
  EventType type = EventType::kNormal;
  std::string reason;  ///< why, one CamelCase word: "NoEligibleNode"
  std::string action;  ///< what the operator did or tried, likewise: "Planning"
  std::string note;    ///< a sentence
};

/// The component that reports events.
struct EventReporter {
  std::string controller;  ///< qualified name: "evenkeel.dev/operator"
  std::string instance;    ///< the pod
};

/// An event as it stands in the cluster.
struct EventState {
  ObjectKey key;  ///< of the Event object itself
  Event event;
  WallTime first;
  WallTime last;
  std::int32_t count = 1;  ///< more than one: a series
};

/// The events.k8s.io/v1 object. Texts longer than the API takes are cut (note: 1 KiB, others: 128
/// bytes), bytes that are not UTF-8 replaced.
[[nodiscard]] Json EventObject(const EventState& state, const EventReporter& reporter);

/// The merge patch that makes the object in the cluster a series of this length.
[[nodiscard]] Json SeriesPatch(const EventState& state);

/// At most `limit` bytes of `text`, cut between characters, as valid UTF-8.
[[nodiscard]] std::string CutText(std::string_view text, std::size_t limit);

struct EventBookOptions {
  /// A repetition within this time makes a series; after it, the event is a new one.
  Duration series_gap = std::chrono::minutes(6);
  /// Between two writes of one series: doubles from the first to the second.
  Duration shortest_refresh = std::chrono::seconds(10);
  Duration longest_refresh = std::chrono::minutes(5);
  /// New events of one object: so many at once, then one in each interval.
  std::int32_t burst = 25;
  Duration refill = std::chrono::seconds(30);
  std::size_t most_series = 1024;  ///< remembered at a time
  std::int32_t most_attempts = 8;  ///< to write one state of a series: about two minutes
};

/// A state of a series that should be in the cluster.
struct EventWrite {
  std::string series;  ///< for Finished()
  bool is_new = true;  ///< create the object, else patch its series
  EventState state;
};

enum class EventOutcome {
  kWritten,
  kMissing,  ///< the object to patch is gone: events live for an hour
  kExists,   ///< another object has that name
  kRefused,  ///< it will never be taken
  kFailed    ///< later perhaps
};

/// Makes few writes of many events: the same event about the same object (type, reason, action)
/// becomes a series whose count is written now and then; objects that cause many different events
/// are held to a rate. Told the time, so it runs under a virtual clock. Not thread-safe.
class EventCorrelator {
 public:
  explicit EventCorrelator(const EventBookOptions& options) : options_(options) {}

  /// Something happened. False when it is not kept: the object has had too many.
  [[nodiscard]] bool Note(const Event& event, Instant now, WallTime wall);

  /// The next write that is due by then. Tell its outcome before asking again.
  [[nodiscard]] std::optional<EventWrite> Next(Instant due_by) const;
  /// When there will be one; kNever when nothing is to be written.
  [[nodiscard]] Instant NextDue() const;
  /// True when the event is given up.
  bool Finished(const EventWrite& write, EventOutcome outcome, Instant now);

 private:
  struct Series {
    EventState state;
    Instant last_seen{};
    Instant write_at{};
    Duration refresh{};
    std::int32_t written = 0;  ///< the count in the cluster; 0: no object there
    std::int32_t attempts = 0;
  };
  using Book = std::map<std::string, Series>;

  [[nodiscard]] bool TakeToken(const std::string& object, Instant now);
  void Forget(Instant now);
  [[nodiscard]] ObjectKey NewKey(const ObjectKey& regarding, WallTime wall);
  [[nodiscard]] static bool IsPending(const Series& series);
  [[nodiscard]] Book::const_iterator Earliest() const;
  [[nodiscard]] bool TryAgain(Book::iterator series, Instant now);

  EventBookOptions options_;
  Book book_;
  std::map<std::string, Instant> buckets_;  ///< objects: when their bucket is full again
  std::int64_t last_stamp_ = 0;             ///< of names, so that no two are alike
};

struct EventRecorderOptions {
  EventReporter reporter;
  EventBookOptions book;
  std::size_t most_queued = 1000;  ///< events not looked at yet
  Duration request_timeout = std::chrono::seconds(10);
  Duration flush_time = std::chrono::seconds(3);  ///< at the end, for what is still to be written
};

/// Number of events by outcome since the start.
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
  /// Writes the remaining events until one fails, then ends the thread. Takes at most flush_time
  /// and one request.
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
  EventCorrelator book_;
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
