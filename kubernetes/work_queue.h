#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/clock.h"
#include "core/base/time.h"
#include "kubernetes/object.h"
#include "kubernetes/pacing.h"

namespace evenkeel::kube {

struct WorkQueueOptions {
  Duration shortest_backoff = std::chrono::milliseconds(5);
  Duration longest_backoff = std::chrono::seconds(1000);
  double retries_per_second = 10;  ///< of all items together
  int retry_burst = 100;
};

/// Hears of what happens in a queue, for metrics. Called under the queue's lock: must be quick and
/// must not call the queue.
class WorkQueueObserver {
 public:
  virtual ~WorkQueueObserver() = default;
  virtual void OnAdded(std::size_t depth) = 0;
  virtual void OnTaken(std::size_t depth, Duration queued) = 0;
  virtual void OnDone(Duration worked) = 0;
  virtual void OnRetry() = 0;
};

/// The state of a queue at one time, for metrics.
struct WorkQueueFigures {
  std::size_t depth = 0;       ///< items that could be taken
  std::size_t processing = 0;  ///< items taken and not done
  std::size_t waiting = 0;     ///< items that come later
  Duration unfinished{};       ///< how long the items in work have been there, summed up
  Duration longest_running{};  ///< the oldest of them
};

/// A queue of object keys to reconcile. An item is in it once, however often it is added. An item
/// that is added while it is processed comes again after Done(), so no two workers have the same
/// one. Namespaces with due items take turns, one item a turn, so that many items of one namespace
/// do not delay another; within a namespace the order is first in, first out. Items can come
/// later, or after a backoff that grows with each failure. The caller passes the time, so the queue
/// runs under a virtual clock. Not thread-safe.
class WorkQueueCore {
 public:
  /// `observer` may be null; else it must outlive the queue.
  WorkQueueCore(const WorkQueueOptions& options, WorkQueueObserver* observer);

  void Add(const ObjectKey& item, Instant now);
  /// Adds it once `delay` has passed; of several such times for one item the earliest counts.
  void AddAfter(const ObjectKey& item, Duration delay, Instant now);
  /// Adds it after the longer of its own back-off and the wait for a token of the common bucket.
  void AddRateLimited(const ObjectKey& item, Instant now);
  /// The item went well: its back-off starts afresh.
  void Forget(const ObjectKey& item) { backoff_.Forget(item); }
  [[nodiscard]] std::int32_t Retries(const ObjectKey& item) const;

  /// The next item, which is the caller's until Done(). Nothing when none is due.
  [[nodiscard]] std::optional<ObjectKey> Take(Instant now);
  void Done(const ObjectKey& item, Instant now);

  /// Nothing can be added any more, what was to come later is dropped; what is due can still be
  /// taken, as can what was added while it is still worked on.
  void ShutDown();
  /// The same, and what is due is dropped as well.
  void Drop();

  [[nodiscard]] bool IsShutDown() const { return shut_down_; }
  /// Nothing is due, nothing in work.
  [[nodiscard]] bool IsIdle() const { return depth_ == 0 && processing_.empty(); }
  [[nodiscard]] bool HasDue() const { return depth_ > 0; }
  /// When the next waiting item is due; kNever when none waits.
  [[nodiscard]] Instant NextDue() const;
  /// Moves what is due by now into the queue.
  void Advance(Instant now);
  [[nodiscard]] WorkQueueFigures Figures(Instant now) const;

 private:
  void Enqueue(const ObjectKey& item);

  WorkQueueObserver* observer_;
  ItemBackoff backoff_;
  TokenBucket bucket_;
  std::unordered_map<std::string, std::deque<ObjectKey>> due_;  ///< by namespace, none empty
  std::deque<std::string> turns_;                 ///< the namespaces in due_; the first is next
  std::size_t depth_ = 0;                         ///< items in due_
  std::unordered_map<ObjectKey, Instant> dirty_;  ///< to be reconciled, since when
  std::unordered_map<ObjectKey, Instant> processing_;  ///< in work, since when
  std::unordered_map<ObjectKey, Instant> waiting_;     ///< comes later, and when
  std::set<std::pair<Instant, ObjectKey>> schedule_;   ///< the same by time
  bool shut_down_ = false;
};

/// A WorkQueueCore shared by threads. All of it is thread-safe. A worker's loop:
/// Take() until it gives nothing; then for each item Forget() or AddRateLimited(), and Done().
class WorkQueue {
 public:
  /// Clock and observer must outlive the queue; `observer` may be null.
  WorkQueue(const Clock& clock, const WorkQueueOptions& options, WorkQueueObserver* observer);

  void Add(const ObjectKey& item);
  void AddAfter(const ObjectKey& item, Duration delay);
  void AddRateLimited(const ObjectKey& item);
  void Forget(const ObjectKey& item);
  [[nodiscard]] std::int32_t Retries(const ObjectKey& item) const;

  /// Waits for an item. Returns nothing when the queue is shut down and empty, or on `stop`.
  [[nodiscard]] std::optional<ObjectKey> Take(const std::stop_token& stop);
  void Done(const ObjectKey& item);

  /// Ends it in good order: what is due is still handed out. Waits until it is worked off, at most
  /// for `patience`; true when it was.
  bool ShutDownAndDrain(Duration patience);
  /// Ends it at once, for one who may not go on: what is due is dropped, items in work are not
  /// waited for.
  void Drop();

  [[nodiscard]] WorkQueueFigures Figures() const;

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  WorkQueueCore core_;  // guarded by mutex_
};

}  // namespace evenkeel::kube
