#include "files/chunks_ahead.h"

#include <utility>

namespace evenkeel::files {

ChunksAhead::ChunksAhead(std::size_t count, Obtain obtain)
    : count_(count),
      obtain_(std::move(obtain)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

bool ChunksAhead::Take(std::size_t place, const std::stop_token& stop) {
  Lock lock(mutex_);
  front_ = place;
  const bool begun = place < next_;
  if (!begun) next_ = place + 1;  // the caller obtains it
  changed_.notify_all();
  if (!begun) return false;
  for (;;) {
    const bool has_work =
        changed_.wait(lock, stop, [this, place] { return obtained_.contains(place) || HasNext(); });
    if (const auto found = obtained_.find(place); found != obtained_.end()) {
      const bool obtained = found->second;
      obtained_.erase(found);
      return obtained;
    }
    if (!has_work || stop.stop_requested()) return false;
    ObtainNext(lock);
  }
}

void ChunksAhead::Run(const std::stop_token& stop) {
  Lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return HasNext(); }) && !stop.stop_requested()) {
    ObtainNext(lock);
  }
}

bool ChunksAhead::HasNext() const {
  return front_ < next_ && next_ < count_ && next_ <= front_ + kChunksAhead;
}

void ChunksAhead::ObtainNext(Lock& lock) {
  const std::size_t place = next_++;
  lock.unlock();
  const bool obtained = obtain_(place);
  lock.lock();
  obtained_.emplace(place, obtained);
  changed_.notify_all();
}

}  // namespace evenkeel::files
