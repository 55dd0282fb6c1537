#include "simulator/simulated_journal.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace evenkeel::simulator {

SimulatedJournal::SimulatedJournal(SimulationContext& context, SimulatedTasks& tasks)
    : context_(context), tasks_(tasks) {}

Duration SimulatedJournal::CommitTime() const {
  return context_.time.Now() < slow_until_ ? slow_latency_ : context_.config.commit_latency;
}

void SimulatedJournal::SlowDown(Duration latency, Instant until) {
  slow_latency_ = latency;
  slow_until_ = until;
}

Result<void> SimulatedJournal::Append(const coordinator::JournalRecords& records) {
  if (std::exchange(fails_next_, false)) {
    return tl::unexpected(Error{ErrorCode::kStorageFull, "the disk failed"});
  }
  const Recorder& recorder = context_.config.recorder;
  for (const auto& record : records.results) {
    tasks_.CountDurable(record);
    if (recorder.on_result) recorder.on_result(record);
    completed_.Insert(record.range);
    active_ = std::max(active_, record.ended);
  }
  if (recorder.on_failure) {
    for (const auto& failure : records.failures) recorder.on_failure(failure);
  }
  failures_.insert(failures_.end(), records.failures.begin(), records.failures.end());
  if (recorder.on_event) {
    for (const auto& event : records.events) recorder.on_event(event);
  }
  return {};
}

// A coordinator that starts later gets the tasks from the job itself.
Result<void> SimulatedJournal::Grow(const coordinator::JobIdentity& identity) {
  context_.trace.Note(context_.time.Now(),
                      "the journal knows of " + std::to_string(identity.task_count) + " tasks");
  return {};
}

SimulatedJournalWriter::SimulatedJournalWriter(const SimulationContext& context,
                                               SimulatedJournal& journal,
                                               coordinator::LoopInbox& inbox)
    : context_(context), journal_(journal), inbox_(inbox) {}

std::optional<Instant> SimulatedJournalWriter::Begin() {
  if (under_way_ || failed_ || !queue_.Urgent()) return std::nullopt;
  under_way_ = queue_.Take();
  return context_.time.After(journal_.CommitTime());
}

void SimulatedJournalWriter::End() {
  const coordinator::JournalQueue::Group group = *std::exchange(under_way_, std::nullopt);
  Write(group);
}

void SimulatedJournalWriter::Flush() {
  if (under_way_) End();
  if (!failed_) Write(queue_.Take());
}

void SimulatedJournalWriter::Write(const coordinator::JournalQueue::Group& group) {
  auto done = coordinator::Commit(group, journal_);
  queue_.OnCommitted(group);
  for (auto& event : done) {
    failed_ = failed_ || std::holds_alternative<coordinator::JournalFailed>(event);
    inbox_.Post(std::move(event));
  }
}

}  // namespace evenkeel::simulator
