#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "worker/coordinator_connection.h"
#include "worker/worker_loop.h"
#include "workloads/registry.h"

namespace evenkeel::worker {

struct WorkerOptions {
  ConnectionOptions connection;
  std::string node;
  std::string workload;  ///< its name; the parameters come with the Welcome
  std::string token;
  std::uint32_t threads = 1;
  double ratio = 0;    ///< weight of the node relative to the lightest; 0: unknown
  double speed = 1.0;  ///< of a workload that sleeps instead of computing
  /// For workloads with blocks: what the worker may use of the memory, in bytes; nothing: what its
  /// control group or the machine allows.
  std::optional<std::int64_t> memory_limit;
  /// Bytes of memory that the tasks may use together; nothing: as for memory_limit.
  std::optional<std::int64_t> task_memory;
  /// The name in the certificates of all workers of the job; with TLS, without it blocks come from
  /// the coordinator only.
  std::string peer_name;
  std::uint16_t peer_port = 0;  ///< to serve other workers on; 0: any that is free
  /// For workloads that run commands, see workloads::RunnerOptions.
  std::filesystem::path launcher_socket;
  std::filesystem::path launcher_program;
  Duration launcher_patience = std::chrono::seconds(30);
  /// For a local run of a workload with files: what workloads::PrepareLocalFiles returned; empty:
  /// there are no files.
  std::filesystem::path local_files;
  /// For a workload with files that come from the coordinator: folder and bytes of the cache, and
  /// folder of the directories of tasks; both empty: there are no files. In one file system, input
  /// files can be links instead of copies.
  std::filesystem::path file_cache;
  /// A cache that other workers have used and will use; `file_cache` takes its place if it cannot
  /// be written. Empty: none.
  std::filesystem::path persistent_file_cache;
  std::int64_t file_cache_bytes = std::int64_t{5} << 30;
  std::filesystem::path task_folder;
  /// Whether input data in blocks is read from files that the coordinator names, see
  /// workloads::WorkloadContext::reads_blocks_locally.
  bool reads_blocks_locally = false;
  /// Share of a core for each thread: the process stays below share x threads by pausing. 1: no
  /// pauses.
  double share = 1.0;
  /// Ends the worker after so long without a coordinator. Nothing: never.
  std::optional<Duration> give_up_after;
  /// Time that running tasks get to end after Drain.
  Duration drain_grace = std::chrono::seconds(20);
};

/// One worker process: a WorkerLoop with real threads, streams over gRPC and the steady clock. All
/// events happen under one mutex except the tasks themselves and the end of a stream. Without work
/// it sleeps and uses no CPU.
class WorkerProcess {
 public:
  /// `registry` and `clock` must outlive this. kInvalidInput: there is no such workload.
  [[nodiscard]] static Result<std::unique_ptr<WorkerProcess>> Make(
      WorkerOptions options, const workloads::Registry& registry, const Clock& clock);
  virtual ~WorkerProcess() = default;

  /// Works until the job is over; to be called once. Blocks.
  [[nodiscard]] virtual WorkerEnd Run() = 0;
  /// Ends Run in good order: running tasks may end within the grace, the rest goes back.
  /// Thread-safe.
  virtual void Drain() = 0;
};

}  // namespace evenkeel::worker
