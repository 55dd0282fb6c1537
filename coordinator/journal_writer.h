#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "coordinator/journal.h"
#include "core/engine/effects.h"

namespace evenkeel::coordinator {

/// Writes batches to a journal on a thread of its own, as many in one transaction as have come
/// while the last one was on its way to the disk (group commit). Add and Flush are called by one
/// thread.
class JournalWriter {
 public:
  /// Called on the writer's thread: everything up to this batch is durable.
  using Durable = std::function<void(engine::BatchId)>;
  /// Called on the writer's thread, once; nothing is written any more.
  using Failed = std::function<void(const Error&)>;

  /// `journal` must outlive the writer.
  JournalWriter(Journal& journal, Durable durable, Failed failed);
  /// Writes what is left, unless writing has failed.
  ~JournalWriter();

  /// Queues a batch; waits while more than 64 MiB of results are queued.
  void Add(engine::Persist batch);
  /// Queues events, which are written with the next batch or at the end.
  void Add(std::vector<model::TimelineEvent> events);

 private:
  struct Pending {
    std::vector<model::ResultRecord> results;
    std::vector<model::FailureRecord> failures;
    std::vector<model::TimelineEvent> events;
    engine::BatchId last{};
    std::size_t bytes = 0;
    bool urgent = false;  // holds results or failures
  };

  void Run();

  Journal& journal_;
  Durable durable_;
  Failed failed_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable room_;
  Pending pending_;
  bool ending_ = false;
  bool broken_ = false;
  std::thread thread_;
};

}  // namespace evenkeel::coordinator
