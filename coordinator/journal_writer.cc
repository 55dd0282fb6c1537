#include "coordinator/journal_writer.h"

#include <utility>
#include <variant>
#include <vector>

namespace evenkeel::coordinator {

JournalWriter::JournalWriter(RecordStore& store, LoopInbox& inbox)
    : store_(store), inbox_(inbox), thread_([this] { Run(); }) {}

JournalWriter::~JournalWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void JournalWriter::Append(JournalEntry entry) {
  const std::lock_guard lock(mutex_);
  queue_.Add(std::move(entry));
  if (queue_.Urgent()) changed_.notify_one();
}

std::size_t JournalWriter::PendingBytes() const {
  const std::lock_guard lock(mutex_);
  return queue_.PendingBytes();
}

void JournalWriter::Run() {
  for (bool last = false; !last;) {
    JournalQueue::Group group;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return queue_.Urgent() || stopping_; });
      last = stopping_;
      group = queue_.Take();
    }
    std::vector<LoopEvent> done = Commit(group, store_);
    {
      const std::lock_guard lock(mutex_);
      queue_.OnCommitted(group);
    }
    for (LoopEvent& event : done) {
      last = last || std::holds_alternative<JournalFailed>(event);
      inbox_.Post(std::move(event));
    }
  }
}

}  // namespace evenkeel::coordinator
