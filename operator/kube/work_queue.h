#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

#include "core/base/clock.h"
#include "operator/kube/work_queue_core.h"

namespace evenkeel::kube {

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

  /// Waits for an item. Nothing: the queue is shut down and empty, or `stop` was asked for.
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
