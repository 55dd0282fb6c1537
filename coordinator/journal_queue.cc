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
    for (const model::ExclusionRecord& exclusion : batch->exclusions) Revoke(exclusion.node);
    MoveToEnd(group_.records.exclusions, batch->exclusions);
    MoveToEnd(group_.records.results, batch->results);
    MoveToEnd(group_.records.failures, batch->failures);
    MoveToEnd(group_.records.confirmations, batch->confirmations);
    group_.last = batch->batch;
  } else if (auto* events = std::get_if<std::vector<model::TimelineEvent>>(&entry)) {
    MoveToEnd(group_.records.events, *events);
  } else {
    group_.versions.push_back(std::move(std::get<VersionChange>(entry)));
  }
}

// The store applies the exclusions of a group before its results.
void JournalQueue::Revoke(const std::string& node) {
  std::erase_if(group_.records.results,
                [&](const model::ResultRecord& result) { return result.node == node; });
  std::erase_if(group_.records.confirmations, [&](const model::ConfirmationRecord& confirmation) {
    return confirmation.node == node || confirmation.second == node;
  });
}

std::vector<LoopEvent> Commit(const JournalQueue::Group& group, RecordStore& store) {
  std::vector<LoopEvent> done;
  for (const VersionChange& change : group.versions) {
    const auto grown = store.Grow(change.identity);
    done.emplace_back(VersionCommitted{change.version, change.identity,
                                       grown ? std::nullopt : std::optional(grown.error())});
  }
  const auto written = store.Append(group.records);
  if (!written) {
    done.emplace_back(JournalFailed{written.error()});
  } else if (group.last) {
    done.emplace_back(BatchCommitted{*group.last});
  }
  return done;
}

}  // namespace evenkeel::coordinator
