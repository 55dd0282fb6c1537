#include "kubernetes/work_queue.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::kube {

WorkQueueCore::WorkQueueCore(const WorkQueueOptions& options, WorkQueueObserver* observer)
    : observer_(observer),
      backoff_(options.shortest_backoff, options.longest_backoff),
      bucket_(options.retries_per_second, options.retry_burst) {}

void WorkQueueCore::Add(const ObjectKey& item, Instant now) {
  if (shut_down_) return;
  if (!dirty_.try_emplace(item, now).second) return;
  // Someone has it: it comes again when that one is done.
  if (processing_.count(item) == 0) Enqueue(item);
}

void WorkQueueCore::Enqueue(const ObjectKey& item) {
  std::deque<ObjectKey>& items = due_[item.namespace_name];
  if (items.empty()) turns_.push_back(item.namespace_name);
  items.push_back(item);
  ++depth_;
  if (observer_ != nullptr) observer_->OnAdded(depth_);
}

void WorkQueueCore::AddAfter(const ObjectKey& item, Duration delay, Instant now) {
  if (shut_down_) return;
  if (delay <= Duration::zero()) return Add(item, now);
  const Instant due = delay < kNever - now ? now + delay : kNever;
  const auto [place, is_new] = waiting_.try_emplace(item, due);
  if (!is_new) {
    if (place->second <= due) return;
    schedule_.erase({place->second, item});
    place->second = due;
  }
  schedule_.emplace(due, item);
}

void WorkQueueCore::AddRateLimited(const ObjectKey& item, Instant now) {
  if (shut_down_) return;
  if (observer_ != nullptr) observer_->OnRetry();
  AddAfter(item, std::max(backoff_.Next(item), bucket_.Take(now)), now);
}

std::int32_t WorkQueueCore::Retries(const ObjectKey& item) const { return backoff_.Failures(item); }

void WorkQueueCore::Advance(Instant now) {
  while (!schedule_.empty() && schedule_.begin()->first <= now) {
    const ObjectKey item = schedule_.extract(schedule_.begin()).value().second;
    waiting_.erase(item);
    Add(item, now);
  }
}

std::optional<ObjectKey> WorkQueueCore::Take(Instant now) {
  Advance(now);
  if (depth_ == 0) return std::nullopt;
  std::string namespace_name = std::move(turns_.front());
  turns_.pop_front();
  const auto turn = due_.find(namespace_name);
  ObjectKey item = std::move(turn->second.front());
  turn->second.pop_front();
  --depth_;
  if (turn->second.empty()) {
    due_.erase(turn);
  } else {
    turns_.push_back(std::move(namespace_name));
  }
  const auto added = dirty_.extract(item).mapped();
  processing_.emplace(item, now);
  if (observer_ != nullptr) observer_->OnTaken(depth_, now - added);
  return item;
}

void WorkQueueCore::Done(const ObjectKey& item, Instant now) {
  const auto taken = processing_.extract(item);
  EVENKEEL_CHECK(!taken.empty(), "an item that is done without having been taken");
  if (observer_ != nullptr) observer_->OnDone(now - taken.mapped());
  if (dirty_.count(item) > 0) Enqueue(item);
}

void WorkQueueCore::ShutDown() {
  shut_down_ = true;
  waiting_.clear();
  schedule_.clear();
}

void WorkQueueCore::Drop() {
  ShutDown();
  due_.clear();
  turns_.clear();
  depth_ = 0;
  dirty_.clear();
}

Instant WorkQueueCore::NextDue() const {
  return schedule_.empty() ? kNever : schedule_.begin()->first;
}

WorkQueueFigures WorkQueueCore::Figures(Instant now) const {
  WorkQueueFigures figures;
  figures.depth = depth_;
  figures.processing = processing_.size();
  figures.waiting = waiting_.size();
  for (const auto& [item, since] : processing_) {
    figures.unfinished += now - since;
    figures.longest_running = std::max(figures.longest_running, now - since);
  }
  return figures;
}

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
