#include "operator/kube/work_queue.h"

#include <algorithm>
#include <utility>

namespace evenkeel::kube {
namespace {

/// An idle worker looks again after this, which also keeps the arithmetic with kNever harmless.
constexpr Duration kLongestIdleWait = std::chrono::minutes(10);

}  // namespace

WorkQueue::WorkQueue(const Clock& clock, const WorkQueueOptions& options,
                     WorkQueueObserver* observer)
    : clock_(clock), core_(options, observer) {}

void WorkQueue::Add(const ObjectKey& item) {
  {
    const std::scoped_lock lock(mutex_);
    core_.Add(item, clock_.Now());
  }
  changed_.notify_all();
}

void WorkQueue::AddAfter(const ObjectKey& item, Duration delay) {
  {
    const std::scoped_lock lock(mutex_);
    core_.AddAfter(item, delay, clock_.Now());
  }
  changed_.notify_all();
}

void WorkQueue::AddRateLimited(const ObjectKey& item) {
  {
    const std::scoped_lock lock(mutex_);
    core_.AddRateLimited(item, clock_.Now());
  }
  changed_.notify_all();
}

void WorkQueue::Forget(const ObjectKey& item) {
  const std::scoped_lock lock(mutex_);
  core_.Forget(item);
}

std::int32_t WorkQueue::Retries(const ObjectKey& item) const {
  const std::scoped_lock lock(mutex_);
  return core_.Retries(item);
}

std::optional<ObjectKey> WorkQueue::Take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const Instant now = clock_.Now();
    auto item = core_.Take(now);
    if (item) return item;
    if (core_.IsShutDown() && core_.IsIdle()) return std::nullopt;
    const Instant due = std::min(core_.NextDue(), now + kLongestIdleWait);
    // Whatever wakes it ends the wait: an item may have come that is due earlier.
    changed_.wait_for(lock, stop, due - now,
                      [woken = false]() mutable { return std::exchange(woken, true); });
  }
  return std::nullopt;
}

void WorkQueue::Done(const ObjectKey& item) {
  {
    const std::scoped_lock lock(mutex_);
    core_.Done(item, clock_.Now());
  }
  changed_.notify_all();
}

bool WorkQueue::ShutDownAndDrain(Duration patience) {
  std::unique_lock lock(mutex_);
  core_.ShutDown();
  changed_.notify_all();
  return changed_.wait_for(lock, patience, [this] { return core_.IsIdle(); });
}

void WorkQueue::Drop() {
  {
    const std::scoped_lock lock(mutex_);
    core_.Drop();
  }
  changed_.notify_all();
}

WorkQueueFigures WorkQueue::Figures() const {
  const std::scoped_lock lock(mutex_);
  return core_.Figures(clock_.Now());
}

}  // namespace evenkeel::kube
