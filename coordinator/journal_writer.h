#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "coordinator/coordinator_loop.h"
#include "coordinator/journal_queue.h"
#include "coordinator/record_store.h"

namespace evenkeel::coordinator {

/// Writes the loop's records to a store on a thread of its own. Append belongs to one thread.
class JournalWriter final : public RecordSink {
 public:
  /// Both must outlive the writer.
  JournalWriter(RecordStore& store, LoopInbox& inbox);
  /// Writes everything that was appended, unless writing has failed.
  ~JournalWriter() override;
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  void Append(JournalEntry entry) override;
  [[nodiscard]] std::size_t PendingBytes() const override;

 private:
  void Run();

  RecordStore& store_;
  LoopInbox& inbox_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  JournalQueue queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace evenkeel::coordinator
