#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "worker/block_client.h"
#include "worker/cached_blocks.h"
#include "worker/cached_files.h"
#include "worker/chunk_fetcher.h"
#include "worker/chunk_host.h"
#include "worker/data_connections.h"
#include "worker/file_client.h"
#include "worker/file_prefetcher.h"
#include "worker/worker_loop.h"
#include "worker/worker_process.h"
#include "workloads/block_cache.h"
#include "workloads/registry.h"
#include "workloads/task_directory.h"
#include "workloads/task_files.h"

namespace evenkeel::worker {

/// The blocks of one job at a worker: memory for them, a client that fetches them from the
/// coordinator and other workers, and a server for other workers. Thread-safe.
class WorkerBlocks {
 public:
  WorkerBlocks(const WorkerOptions& options, const workloads::BlockPolicy& policy);

  [[nodiscard]] workloads::BlockCache& Cache() { return cache_; }
  [[nodiscard]] workloads::BlockFetcher& Fetcher() { return client_; }

 private:
  workloads::BlockCache cache_;  // each outlives the next one
  CachedBlocks served_{cache_};
  std::unique_ptr<ChunkHost> host_;  // null: no other worker is served
  DataConnections connections_;
  ChunkFetcher chunks_;
  BlockClient client_;
};

/// The files of the tasks of one job at a worker, if they come from the coordinator. Thread-safe.
class WorkerFiles {
 public:
  /// kInvalidInput, kStorageFull, kUnavailable: the cache cannot be used, or the port of the
  /// options is not free.
  [[nodiscard]] static Result<std::unique_ptr<WorkerFiles>> Open(const WorkerOptions& options);

  [[nodiscard]] workloads::TaskFiles& Files() { return client_; }
  [[nodiscard]] FilePrefetcher& Prefetcher() { return prefetcher_; }

 private:
  WorkerFiles(const WorkerOptions& options, std::unique_ptr<files::ChunkCache> cache,
              std::unique_ptr<CachedFiles> served, std::unique_ptr<ChunkHost> host);

  std::unique_ptr<files::ChunkCache> cache_;  // each outlives the next one
  std::unique_ptr<CachedFiles> served_;
  std::unique_ptr<ChunkHost> host_;
  DataConnections connections_;
  ChunkFetcher chunks_;
  FileClient client_;
  FilePrefetcher prefetcher_;
  std::jthread announcement_;  // of what is in the cache
};

/// Makes the workload from the parameters in the Welcome, and a runner for each thread. Load and
/// MakeRunner may be called by different threads, but no MakeRunner before the first Load is over.
class RegistryJobLoader final : public JobLoader {
 public:
  /// Both must outlive this.
  RegistryJobLoader(const WorkerOptions& options, const workloads::Registry& registry);

  /// Later calls make nothing: they check that it is still the same job, perhaps with more tasks.
  Result<void> Load(const engine::Welcome& welcome) override;
  [[nodiscard]] std::int64_t TasksAhead() const override;
  void FetchAhead(const std::vector<engine::HeldTask>& tasks) override;
  /// For the calling thread, one of those that compute. kUnavailable if the workload throws.
  [[nodiscard]] Result<std::unique_ptr<workloads::TaskRunner>> MakeRunner(std::uint32_t thread);

 private:
  [[nodiscard]] workloads::RunnerOptions RunnerSettings();
  /// Makes the files of tasks available, if they have any.
  [[nodiscard]] Result<void> OpenFiles();
  [[nodiscard]] Result<void> OpenTaskDirectories(const std::filesystem::path& folder);

  const WorkerOptions& options_;
  const workloads::Registry& registry_;
  std::shared_ptr<const workloads::Workload> workload_;
  std::unique_ptr<WorkerBlocks> blocks_;  // if workload_ has any
  // If tasks have files: either of the two.
  std::unique_ptr<workloads::TaskFiles> local_files_;
  std::unique_ptr<WorkerFiles> fetched_files_;
  std::unique_ptr<workloads::TaskDirectories> task_directories_;
  std::string job_;         // its name
  std::string parameters_;  // of workload_
};

}  // namespace evenkeel::worker
