#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/time.h"
#include "operator/kube/event.h"

namespace evenkeel::kube {

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
class EventBook {
 public:
  explicit EventBook(const EventBookOptions& options) : options_(options) {}

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

}  // namespace evenkeel::kube
