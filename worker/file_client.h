#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/model/index_range.h"
#include "core/protocol/file_service.h"
#include "files/chunk_cache.h"
#include "worker/coordinator_connection.h"
#include "worker/data_connections.h"
#include "worker/transfer_meter.h"
#include "workloads/task_files.h"

namespace evenkeel::worker {

/// The files of tasks in a cluster. Fetches input files into the cache of this node, from the
/// coordinator or, where it redirects, from another worker, and serves the chunks of the cache to
/// other workers. Sends output files to the coordinator. Waits while the coordinator is away or has
/// no room for them. A worker that has sent wrong bytes is not asked again. Thread-safe.
class FileClient final : public workloads::TaskFiles {
 public:
  struct Options {
    ConnectionOptions home;  ///< the coordinator
    std::string token;       ///< proves to the coordinator and to other workers who this is
    std::string peer_name;   ///< in the certificates of other workers
    /// Port on which other workers are served; 0: any that is free.
    std::uint16_t port = 0;
    /// Other workers wait for a chunk that is on its way to this one, at most for so long.
    std::chrono::milliseconds chunk_patience = std::chrono::seconds(2);
  };
  /// `cache` must outlive it. kUnavailable if the port is not free.
  [[nodiscard]] static Result<std::unique_ptr<FileClient>> Start(const Options& options,
                                                                 files::ChunkCache& cache);
  /// No calls may be in progress.
  ~FileClient() override;

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
  [[nodiscard]] model::DataTransfer TakeTransfer() override { return meter_.Take(); }

 private:
  class Source;  // for other workers
  using Pins = std::vector<files::ChunkCache::Pin>;
  struct Answer;

  FileClient(Options options, files::ChunkCache& cache);
  Result<void> Listen();
  /// One request; an empty `peer` is the coordinator.
  [[nodiscard]] std::shared_ptr<Answer> Ask(const std::string& peer, const char* method,
                                            const grpc::ByteBuffer& request,
                                            const std::stop_token& stop);
  /// Asks the coordinator until it answers.
  [[nodiscard]] Result<std::shared_ptr<Answer>> AskHome(const char* method,
                                                        const grpc::ByteBuffer& request,
                                                        const std::stop_token& stop);
  [[nodiscard]] Result<std::vector<protocol::ListedFile>> List(model::TaskIndex task,
                                                               std::string_view input,
                                                               const std::stop_token& stop);
  [[nodiscard]] Result<files::Chunk> FetchChunk(const protocol::ListedFile& file, std::size_t place,
                                                const std::stop_token& stop);
  /// The same, as part of a transfer that the meter knows.
  [[nodiscard]] Result<files::Chunk> FetchMetered(const protocol::ListedFile& file,
                                                  std::size_t place, const std::stop_token& stop);
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

  const Options options_;
  files::ChunkCache& cache_;
  DataConnections connections_;
  SteadyClock clock_;
  TransferMeter meter_{clock_};
  std::uint16_t port_ = 0;
  std::mutex mutex_;  // guards what follows
  std::multimap<model::TaskIndex, Pins> pins_;
  std::int64_t holders_ = 0;     // tasks that have pins, from FetchAll until these are removed
  std::int64_t fetching_ = 0;    // attempts that are in progress
  std::int64_t acquiring_ = 0;   // tasks that wait for their files
  bool waits_for_room_ = false;  // one task does
  std::uint64_t releases_ = 0;   // how often files were released
  std::condition_variable_any released_;
  protocol::TrafficCounter traffic_;
  std::unique_ptr<Source> source_;
  std::unique_ptr<protocol::FileService> service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace evenkeel::worker
