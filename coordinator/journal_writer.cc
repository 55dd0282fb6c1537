#include "coordinator/journal_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace evenkeel::coordinator {
namespace {

template <typename T>
void MoveToEnd(std::vector<T>& target, std::vector<T>& source) {
  target.insert(target.end(), std::make_move_iterator(source.begin()),
                std::make_move_iterator(source.end()));
}

std::size_t BytesOf(const engine::Persist& batch) {
  std::size_t bytes = 0;
  for (const auto& record : batch.results) bytes += record.results.Bytes().size();
  for (const auto& failure : batch.failures) bytes += failure.record.size();
  return bytes;
}

std::size_t BytesOf(const JournalEntry& entry) {
  const auto* batch = std::get_if<engine::Persist>(&entry);
  return batch == nullptr ? 0 : BytesOf(*batch);
}

}  // namespace

void CommitQueue::Add(JournalEntry entry) {
  group_.bytes += BytesOf(entry);
  if (auto* batch = std::get_if<engine::Persist>(&entry)) {
    MoveToEnd(group_.results, batch->results);
    MoveToEnd(group_.failures, batch->failures);
    group_.last = batch->batch;
  } else if (auto* events = std::get_if<std::vector<model::TimelineEvent>>(&entry)) {
    MoveToEnd(group_.events, *events);
  } else {
    group_.versions.push_back(std::move(std::get<VersionChange>(entry)));
  }
}

std::vector<LoopEvent> Commit(const CommitQueue::Group& group, Journal& journal) {
  std::vector<LoopEvent> done;
  for (const VersionChange& change : group.versions) {
    const auto grown = journal.Grow(change.identity);
    done.emplace_back(VersionCommitted{change.version, change.identity,
                                       grown ? std::nullopt : std::optional(grown.error())});
  }
  const auto written = journal.Append(group.results, group.failures, group.events);
  if (!written) {
    done.emplace_back(JournalFailed{written.error()});
  } else if (group.last) {
    done.emplace_back(BatchCommitted{*group.last});
  }
  return done;
}

JournalWriter::JournalWriter(Journal& journal, LoopInbox& inbox)
    : journal_(journal), inbox_(inbox), thread_([this] { Run(); }) {}

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
  pending_bytes_ += BytesOf(entry);
  queue_.Add(std::move(entry));
  if (queue_.Urgent()) changed_.notify_one();
}

std::size_t JournalWriter::PendingBytes() const {
  const std::lock_guard lock(mutex_);
  return pending_bytes_;
}

void JournalWriter::Run() {
  for (bool last = false; !last;) {
    CommitQueue::Group group;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return queue_.Urgent() || stopping_; });
      last = stopping_;
      group = queue_.Take();
    }
    std::vector<LoopEvent> done = Commit(group, journal_);
    {
      const std::lock_guard lock(mutex_);
      pending_bytes_ -= group.bytes;
    }
    for (LoopEvent& event : done) {
      last = last || std::holds_alternative<JournalFailed>(event);
      inbox_.Post(std::move(event));
    }
  }
}

}  // namespace evenkeel::coordinator
