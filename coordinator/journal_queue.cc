#include "coordinator/journal_queue.h"

#include <iterator>

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

void JournalQueue::Add(JournalEntry entry) {
  const std::size_t bytes = BytesOf(entry);
  group_.bytes += bytes;
  pending_bytes_ += bytes;
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

std::vector<LoopEvent> Commit(const JournalQueue::Group& group, RecordStore& store) {
  std::vector<LoopEvent> done;
  for (const VersionChange& change : group.versions) {
    const auto grown = store.Grow(change.identity);
    done.emplace_back(VersionCommitted{change.version, change.identity,
                                       grown ? std::nullopt : std::optional(grown.error())});
  }
  const auto written = store.Append(group.results, group.failures, group.events);
  if (!written) {
    done.emplace_back(JournalFailed{written.error()});
  } else if (group.last) {
    done.emplace_back(BatchCommitted{*group.last});
  }
  return done;
}

}  // namespace evenkeel::coordinator
