#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/engine/worker.h"
#include "worker/file_client.h"

namespace evenkeel::worker {

/// Fetches the input files of tasks that a worker is about to run into the cache of its node, so
/// that a task computes while the files of the next ones are on their way. One task at a time, in
/// the order of their start, and only while no task waits for its own files: these come first. At
/// most half of the cache is used for tasks that have not ended, so that no file goes for a later
/// one. Failures are left to the task, which fetches again. Thread-safe.
class FilePrefetcher {
 public:
  /// `client` must outlive it.
  explicit FilePrefetcher(FileClient& client);
  /// Stops a fetch that is in progress.
  ~FilePrefetcher();

  /// The tasks that the worker runs or is about to run, in the order of their start. The fetch for
  /// a task that is not among them ends. Does not block.
  void Expect(std::vector<engine::HeldTask> tasks);

 private:
  void Run(const std::stop_token& stop);
  /// The first task that waits and whose files were not fetched. The mutex must be held.
  [[nodiscard]] std::optional<engine::HeldTask> Next() const;
  /// Bytes of the cache that are left for fetching ahead. The mutex must be held.
  [[nodiscard]] std::int64_t RoomBytes() const;

  FileClient& client_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::vector<engine::HeldTask> tasks_;
  std::map<model::TaskIndex, std::int64_t> fetched_;  // bytes of those of tasks_ that were fetched
  std::uint64_t changes_ = 0;                         // of tasks_
  bool full_ = false;                        // the next task has no room until tasks_ change
  std::optional<model::TaskIndex> current_;  // whose files are being fetched
  std::stop_source current_stop_;
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace evenkeel::worker
