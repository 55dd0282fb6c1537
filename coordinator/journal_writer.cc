#include "coordinator/journal_writer.h"

#include <iterator>
#include <utility>

namespace evenkeel::coordinator {
namespace {

constexpr std::size_t kMaxPendingBytes = 64 << 20;

template <typename T>
void MoveToEnd(std::vector<T>& target, std::vector<T>& source) {
  target.insert(target.end(), std::make_move_iterator(source.begin()),
                std::make_move_iterator(source.end()));
}

}  // namespace

JournalWriter::JournalWriter(Journal& journal, Durable durable, Failed failed)
    : journal_(journal),
      durable_(std::move(durable)),
      failed_(std::move(failed)),
      thread_([this] { Run(); }) {}

JournalWriter::~JournalWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  batch_added_.notify_all();
  thread_.join();
}

void JournalWriter::Add(engine::Persist batch) {
  std::unique_lock lock(mutex_);
  queue_shrunk_.wait(lock, [this] { return pending_.bytes < kMaxPendingBytes || has_failed_; });
  for (const auto& record : batch.results) pending_.bytes += record.results.Bytes().size();
  for (const auto& failure : batch.failures) pending_.bytes += failure.record.size();
  MoveToEnd(pending_.results, batch.results);
  MoveToEnd(pending_.failures, batch.failures);
  pending_.last = batch.batch;
  pending_.urgent = true;
  batch_added_.notify_one();
}

void JournalWriter::Add(std::vector<model::TimelineEvent> events) {
  const std::lock_guard lock(mutex_);
  MoveToEnd(pending_.events, events);
}

void JournalWriter::Run() {
  for (;;) {
    Pending batch;
    {
      std::unique_lock lock(mutex_);
      batch_added_.wait(lock, [this] { return pending_.urgent || stopping_; });
      batch = std::exchange(pending_, {});
      const bool is_empty = !batch.urgent && batch.events.empty();
      if ((stopping_ && is_empty) || has_failed_) return;
    }
    queue_shrunk_.notify_all();
    const auto written = journal_.Append(batch.results, batch.failures, batch.events);
    if (!written) {
      {
        const std::lock_guard lock(mutex_);
        has_failed_ = true;
      }
      queue_shrunk_.notify_all();
      failed_(written.error());
      return;
    }
    if (batch.urgent) durable_(batch.last);
  }
}

}  // namespace evenkeel::coordinator
