#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/index_range.h"
#include "core/protocol/file_service.h"
#include "files/chunk_cache.h"
#include "worker/chunk_fetcher.h"
#include "worker/data_connections.h"
#include "workloads/task_files.h"

namespace evenkeel::worker {

/// The files of tasks in a cluster. Fetches input files into the cache of this node, and sends
/// output files to the coordinator. Waits while the coordinator is away or has no room for them.
/// Thread-safe.
class FileClient final : public workloads::TaskFiles {
 public:
  /// `token` proves to the coordinator who this is. The others must outlive it.
  FileClient(std::string token, DataConnections& connections, ChunkFetcher& chunks,
             files::ChunkCache& cache)
      : token_(std::move(token)), connections_(connections), chunks_(chunks), cache_(cache) {}

  Result<std::vector<workloads::InputFile>> Acquire(model::TaskIndex task, std::string_view input,
                                                    const std::stop_token& stop) override;
  void Release(model::TaskIndex task) override;
  /// Fetches what Acquire for this task would have to fetch, while no Acquire waits, and keeps
  /// it in the cache as long as there is room. Blocks until it is there, cannot be had, or `stop`
  /// is requested. Nothing is fetched if the files have more than `most_bytes`: kStorageFull. Else
  /// the bytes of all files of the task.
  Result<std::int64_t> FetchAhead(model::TaskIndex task, std::string_view input,
                                  std::int64_t most_bytes, const std::stop_token& stop);
  /// Tells the coordinator which files the cache of this node had when it was opened, if it had
  /// any. Only a hint: errors do not matter. Blocks until the coordinator answers or `stop` is
  /// requested.
  void Announce(const std::string& node, const std::stop_token& stop);
  [[nodiscard]] std::int64_t CacheBytes() const { return cache_.LimitBytes(); }
  Result<void> Store(model::TaskIndex task, std::span<const workloads::OutputFile> outputs,
                     const std::stop_token& stop) override;
  [[nodiscard]] model::DataTransfer TakeTransfer() override { return chunks_.TakeTransfer(); }

 private:
  using Pins = std::vector<files::ChunkCache::Pin>;

  [[nodiscard]] Result<std::vector<protocol::ListedFile>> List(model::TaskIndex task,
                                                               std::string_view input,
                                                               const std::stop_token& stop);
  /// The list that FetchAhead has kept, or a new one.
  [[nodiscard]] Result<std::vector<protocol::ListedFile>> KeptOrNewList(
      model::TaskIndex task, std::string_view input, const std::stop_token& stop);
  /// Keeps the list for the task's Acquire, unless there are too many.
  void Keep(model::TaskIndex task, std::string_view input, std::vector<protocol::ListedFile> files);
  [[nodiscard]] Result<files::Chunk> FetchChunk(const protocol::ListedFile& file, std::size_t place,
                                                const std::stop_token& stop);
  [[nodiscard]] static std::int64_t BytesOfAll(const std::vector<protocol::ListedFile>& list);
  /// Pins for the files of a list that a task waits for, also if it has to wait for room.
  [[nodiscard]] Result<Pins> FetchNow(const std::vector<protocol::ListedFile>& list,
                                      const std::stop_token& stop);
  /// A pin for each file of a list, in its order. Fetches several small files at a time, and large
  /// ones one after the other.
  [[nodiscard]] Result<Pins> FetchEach(const std::vector<protocol::ListedFile>& list,
                                       const std::stop_token& stop);
  /// The same where the caller is a holder afterwards. kStorageFull: what is
  /// in use leaves no room.
  [[nodiscard]] Result<Pins> FetchAll(const std::vector<protocol::ListedFile>& list,
                                      const std::stop_token& stop);
  /// The same, again and again while other tasks of this worker may release files. One task at a
  /// time does this, so that two that fit one after the other do not keep each other from it.
  [[nodiscard]] Result<Pins> FetchWhenThereIsRoom(const std::vector<protocol::ListedFile>& list,
                                                  const std::stop_token& stop);
  /// Files are in use no more. The mutex must be held.
  void NoteReleased();
  /// Removes the pins of a holder.
  void Unpin(Pins pins);
  /// Sends all output files of a task once. kConflict: the coordinator has not got all of them.
  [[nodiscard]] Result<void> Upload(model::TaskIndex task,
                                    std::span<const workloads::OutputFile> outputs,
                                    const std::stop_token& stop);
  /// Sends the bytes of one file in the pieces that `piece` is a template for, and adds them to
  /// the list of the commit. Holds one chunk in memory.
  [[nodiscard]] Result<void> SendFile(const workloads::OutputFile& output, v1::StoreRequest& piece,
                                      v1::CommitRequest& commit, const std::stop_token& stop);

  /// The coordinator's list of the files of a task, which were fetched ahead.
  struct KeptList {
    model::TaskIndex task = 0;
    std::string input;
    std::vector<protocol::ListedFile> files;
    std::size_t bytes = 0;
  };

  const std::string token_;
  DataConnections& connections_;
  ChunkFetcher& chunks_;
  files::ChunkCache& cache_;
  std::mutex mutex_;  // guards what follows
  std::multimap<model::TaskIndex, Pins> pins_;
  std::deque<KeptList> kept_lists_;  // the oldest one in front; some of tasks that went to others
  std::size_t kept_list_bytes_ = 0;
  std::int64_t holders_ = 0;     // tasks that have pins, from FetchAll until these are removed
  std::int64_t fetching_ = 0;    // attempts that are in progress
  std::int64_t acquiring_ = 0;   // tasks that wait for their files
  bool waits_for_room_ = false;  // one task does
  std::uint64_t releases_ = 0;   // how often files were released
  std::condition_variable_any released_;
};

}  // namespace evenkeel::worker
