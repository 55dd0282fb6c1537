#include "worker/file_prefetcher.h"

#include <algorithm>
#include <utility>

namespace evenkeel::worker {

FilePrefetcher::FilePrefetcher(FileClient& client)
    : client_(client), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

FilePrefetcher::~FilePrefetcher() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  current_stop_.request_stop();
}

void FilePrefetcher::Expect(std::vector<engine::HeldTask> tasks) {
  const std::lock_guard lock(mutex_);
  tasks_ = std::move(tasks);
  const auto expected = [this](model::TaskIndex index) {
    return std::any_of(tasks_.begin(), tasks_.end(),
                       [index](const engine::HeldTask& task) { return task.index == index; });
  };
  std::erase_if(fetched_, [&](const auto& fetched) { return !expected(fetched.first); });
  ++changes_;
  full_ = false;
  if (current_ && !expected(*current_)) current_stop_.request_stop();
  changed_.notify_all();
}

std::optional<engine::HeldTask> FilePrefetcher::Next() const {
  const auto next = std::find_if(tasks_.begin(), tasks_.end(), [this](const auto& task) {
    return task.waits && !fetched_.contains(task.index);
  });
  return full_ || next == tasks_.end() ? std::nullopt : std::optional(*next);
}

std::int64_t FilePrefetcher::RoomBytes() const {
  std::int64_t room = client_.CacheBytes() / 2;
  for (const auto& [index, bytes] : fetched_) room -= bytes;
  return room;
}

void FilePrefetcher::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::optional<engine::HeldTask> task;
    if (!changed_.wait(lock, stop, [&] { return (task = Next()).has_value(); })) return;
    if (stop.stop_requested()) return;
    current_ = task->index;
    current_stop_ = {};
    const std::stop_token current = current_stop_.get_token();
    const std::int64_t room = RoomBytes();
    const std::uint64_t changes = changes_;
    lock.unlock();
    const auto bytes = client_.FetchAhead(task->index, task->input, room, current);
    lock.lock();
    current_.reset();
    if (bytes) {
      fetched_.emplace(task->index, *bytes);
    } else if (bytes.error().code == ErrorCode::kStorageFull) {
      full_ = changes_ == changes;  // else there may be room by now
    } else if (!current.stop_requested()) {
      fetched_.emplace(task->index, 0);  // the task will say what is wrong
    }
  }
}

}  // namespace evenkeel::worker
