#include "coordinator/journal_writer.h"

#include <iterator>
#include <utility>

namespace evenkeel::coordinator {
namespace {

constexpr std::size_t kMaxPendingBytes = 64 << 20;

template <typename T>
void MoveBehind(std::vector<T>& target, std::vector<T>& source) {
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
    ending_ = true;
  }
  filled_.notify_all();
  thread_.join();
}

void JournalWriter::Add(engine::Persist batch) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return pending_.bytes < kMaxPendingBytes || broken_; });
  for (const auto& record : batch.results) pending_.bytes += record.results.Bytes().size();
  for (const auto& failure : batch.failures) pending_.bytes += failure.record.size();
  MoveBehind(pending_.results, batch.results);
  MoveBehind(pending_.failures, batch.failures);
  pending_.last = batch.batch;
  pending_.urgent = true;
  filled_.notify_one();
}

void JournalWriter::Add(std::vector<model::TimelineEvent> events) {
  const std::lock_guard lock(mutex_);
  MoveBehind(pending_.events, events);
}

void JournalWriter::Run() {
  for (;;) {
    Pending batch;
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return pending_.urgent || ending_; });
      batch = std::exchange(pending_, {});
      const bool nothing = !batch.urgent && batch.events.empty();
      if ((ending_ && nothing) || broken_) return;
    }
    room_.notify_all();
    const auto written = journal_.Append(batch.results, batch.failures, batch.events);
    if (!written) {
      {
        const std::lock_guard lock(mutex_);
        broken_ = true;
      }
      room_.notify_all();
      failed_(written.error());
      return;
    }
    if (batch.urgent) durable_(batch.last);
  }
}

}  // namespace evenkeel::coordinator
