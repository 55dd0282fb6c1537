#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "coordinator/journal.h"
#include "core/engine/effects.h"

namespace evenkeel::coordinator {

/// Writes batches to a journal on a thread of its own. All batches that are added while a
/// transaction is being written form the next one (group commit). Add is called by one thread.
class JournalWriter {
 public:
  /// Called on the writer's thread: all batches up to this one are durable.
  using Durable = std::function<void(engine::BatchId)>;
  /// Called on the writer's thread, at most once: nothing is written any more.
  using Failed = std::function<void(const Error&)>;

  /// `journal` must outlive the writer.
  JournalWriter(Journal& journal, Durable durable, Failed failed);
  /// Writes what is queued, unless writing has failed.
  ~JournalWriter();

  /// Queues a batch. Blocks while more than 64 MiB of results are queued.
  void Add(engine::Persist batch);
  /// Queues events, which are written with the next batch or by the destructor.
  void Add(std::vector<model::TimelineEvent> events);

 private:
  struct Pending {
    std::vector<model::ResultRecord> results;
    std::vector<model::FailureRecord> failures;
    std::vector<model::TimelineEvent> events;
    engine::BatchId last{};
    std::size_t bytes = 0;
    bool urgent = false;  // contains results or failures
  };

  void Run();

  Journal& journal_;
  Durable durable_;
  Failed failed_;
  std::mutex mutex_;
  std::condition_variable batch_added_;
  std::condition_variable queue_shrunk_;
  Pending pending_;
  bool stopping_ = false;
  bool has_failed_ = false;
  std::thread thread_;
};

}  // namespace evenkeel::coordinator
