#include "coordinator/announcement_queue.h"

#include <utility>

namespace evenkeel::coordinator {

AnnouncementQueue::AnnouncementQueue(Handler handler)
    : handler_(std::move(handler)), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void AnnouncementQueue::Put(const std::string& node, std::vector<std::uint64_t> keys) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(node);
  const bool waits = found != waiting_.end();
  const std::size_t others = keys_ - (waits ? found->second.size() : 0);
  if (others + keys.size() > kMaxKeys || (!waits && waiting_.size() >= kMaxNodes)) return;
  keys_ = others + keys.size();
  if (waits) {
    found->second = std::move(keys);
    return;
  }
  waiting_.emplace(node, std::move(keys));
  order_.push_back(node);
  filled_.notify_one();
}

void AnnouncementQueue::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (filled_.wait(lock, stop, [this] { return !order_.empty(); }) && !stop.stop_requested()) {
    const auto next = waiting_.extract(order_.front());
    order_.pop_front();
    keys_ -= next.mapped().size();
    lock.unlock();
    handler_(next.key(), next.mapped(), stop);
    lock.lock();
  }
}

}  // namespace evenkeel::coordinator
