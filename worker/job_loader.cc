#include "worker/job_loader.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/freed_memory.h"
#include "core/base/log.h"
#include "core/base/printable.h"
#include "worker/machine.h"
#include "workloads/local_task_files.h"

namespace evenkeel::worker {
namespace {

// Memory beside blocks: the program, buffers of kernels and of the transport, unsent results.
constexpr std::int64_t kOtherBytes = 64 << 20;
constexpr std::int64_t kOtherBytesPerThread = 32 << 20;

// Enough to keep the link busy while tasks compute. More would be fetched in vain when tasks that
// wait go to other workers.
constexpr std::int64_t kTasksAheadPerThread = 2;

// Threads that serve other workers: blocks are in memory; a chunk of a file may be on its way.
constexpr std::size_t kBlockReaders = 1;
constexpr std::size_t kFileReaders = 4;

// Numbers of open files beside the output files of tasks.
constexpr std::size_t kOtherOpenFiles = 512;

std::int64_t CacheBytes(const WorkerOptions& options, std::int64_t wanted) {
  const std::int64_t limit = options.memory_limit.value_or(MemoryLimit());
  const std::int64_t others = kOtherBytes + options.threads * kOtherBytesPerThread;
  const std::int64_t room = std::max(limit - others, limit / 4);
  if (room < wanted) {
    Log(LogLevel::kInfo, "room for " + std::to_string(room >> 20) + " MiB of blocks instead of " +
                             std::to_string(wanted >> 20));
  }
  return std::min(room, wanted);
}

ChunkHost::Options HostOptions(const WorkerOptions& options, std::size_t readers) {
  return {options.connection.tls, options.peer_name, options.token, options.peer_port, readers};
}

std::unique_ptr<ChunkHost> Serve(const WorkerOptions& options, const workloads::BlockPolicy& policy,
                                 CachedBlocks& blocks) {
  // With certificates, a worker can be distinguished from the coordinator only by its name.
  if (!policy.between_workers || (options.connection.tls && options.peer_name.empty())) return {};
  auto host = ChunkHost::Start(HostOptions(options, kBlockReaders), blocks);
  if (host) return std::move(*host);
  Log(LogLevel::kWarning, host.error().message);
  return {};
}

}  // namespace

WorkerBlocks::WorkerBlocks(const WorkerOptions& options, const workloads::BlockPolicy& policy)
    : cache_(CacheBytes(options, policy.cache_bytes)),
      host_(Serve(options, policy, served_)),
      connections_(options.connection, options.peer_name),
      chunks_({options.token, host_ ? host_->Port() : std::uint16_t{0}}, connections_),
      client_({policy.window, policy.refresh_at}, chunks_) {}

Result<std::unique_ptr<WorkerFiles>> WorkerFiles::Open(const WorkerOptions& options) {
  // Tasks may run as the same user as the worker, and then change files of the cache. Other jobs
  // may change files of a persistent one.
  files::ChunkCache::Options cache_options{options.file_cache, options.file_cache_bytes, true};
  if (!options.persistent_file_cache.empty()) {
    cache_options.folder = options.persistent_file_cache;
    cache_options.fallback_folder = options.file_cache;
  }
  auto cache = files::ChunkCache::Open(std::move(cache_options));
  if (!cache) return tl::unexpected(cache.error());
  auto served = std::make_unique<CachedFiles>(**cache);
  auto host = ChunkHost::Start(HostOptions(options, kFileReaders), *served);
  if (!host) return tl::unexpected(host.error());
  return std::unique_ptr<WorkerFiles>(
      new WorkerFiles(options, std::move(*cache), std::move(served), std::move(*host)));
}

WorkerFiles::WorkerFiles(const WorkerOptions& options, std::unique_ptr<files::ChunkCache> cache,
                         std::unique_ptr<CachedFiles> served, std::unique_ptr<ChunkHost> host)
    : cache_(std::move(cache)),
      served_(std::move(served)),
      host_(std::move(host)),
      connections_(options.connection, options.peer_name),
      chunks_({options.token, host_->Port()}, connections_),
      client_(options.token, connections_, chunks_, *cache_),
      prefetcher_(client_),
      announcement_([this, node = options.node](const std::stop_token& stop) {
        client_.Announce(node, stop);
      }) {}

RegistryJobLoader::RegistryJobLoader(const WorkerOptions& options,
                                     const workloads::Registry& registry)
    : options_(options), registry_(registry) {}

Result<void> RegistryJobLoader::Load(const engine::Welcome& welcome) {
  const std::string& parameters = welcome.workload_parameters;
  if (workload_ && parameters == parameters_) return {};
  workloads::WorkloadContext context;
  context.at_worker = true;
  context.reads_blocks_locally = options_.reads_blocks_locally;
  auto made = registry_.Make(options_.workload, parameters, context);
  if (workload_) {
    if (made && (*made)->Continues(parameters_, parameters)) return {};  // it has more tasks
    return Fail(ErrorCode::kInvalidInput, "the coordinator has come back with another job");
  }
  if (!made) return tl::unexpected(made.error());
  workload_ = std::move(*made);
  job_ = welcome.job;
  parameters_ = parameters;
  if (const auto policy = workload_->BlocksAtWorker()) {
    KeepFreedMemory();
    blocks_ = std::make_unique<WorkerBlocks>(options_, *policy);
  }
  return workload_->HasFiles() ? OpenFiles() : Result<void>();
}

std::int64_t RegistryJobLoader::TasksAhead() const {
  return fetched_files_ ? kTasksAheadPerThread * options_.threads : 0;
}

void RegistryJobLoader::FetchAhead(const std::vector<engine::HeldTask>& tasks) {
  fetched_files_->Prefetcher().Expect(tasks);
}

Result<void> RegistryJobLoader::OpenFiles() {
  AllowOpenFiles(kOtherOpenFiles + options_.threads * workloads::kMaxOutputFiles);
  if (!options_.local_files.empty()) {
    auto local = workloads::ReadLocalFiles(options_.local_files);
    if (!local) return tl::unexpected(local.error());
    if (auto opened = OpenTaskDirectories(local->Running() / options_.node); !opened) return opened;
    local_files_ = workloads::MakeLocalTaskFiles(std::move(*local), workload_);
    return {};
  }
  if (options_.file_cache.empty() || options_.task_folder.empty()) {
    return Fail(
        ErrorCode::kUnavailable,
        "this worker has no folders for the files of tasks: --file-cache and --task-folder");
  }
  auto fetched = WorkerFiles::Open(options_);
  if (!fetched) return tl::unexpected(fetched.error());
  fetched_files_ = std::move(*fetched);
  return OpenTaskDirectories(options_.task_folder);
}

Result<void> RegistryJobLoader::OpenTaskDirectories(const std::filesystem::path& folder) {
  auto directories = workloads::TaskDirectories::Open(folder);
  if (!directories) return tl::unexpected(directories.error());
  task_directories_ = std::move(*directories);
  return {};
}

Result<std::unique_ptr<workloads::TaskRunner>> RegistryJobLoader::MakeRunner(std::uint32_t thread) {
  if (workload_->WantsCores()) KeepOnCore(thread, options_.threads);
  try {
    return workload_->MakeRunner(RunnerSettings());
  } catch (const std::exception& exception) {
    return Fail(ErrorCode::kUnavailable, "no task can be run: " + Printable(exception.what()));
  }
}

workloads::RunnerOptions RegistryJobLoader::RunnerSettings() {
  workloads::RunnerOptions settings;
  settings.speed = options_.speed;
  settings.node = options_.node;
  settings.job = job_;
  settings.launcher_socket = options_.launcher_socket;
  settings.launcher_program = options_.launcher_program;
  settings.launcher_patience = options_.launcher_patience;
  settings.files = fetched_files_ ? &fetched_files_->Files() : local_files_.get();
  settings.task_directories = task_directories_.get();
  if (blocks_) {
    settings.block_cache = &blocks_->Cache();
    settings.block_fetcher = &blocks_->Fetcher();
  }
  return settings;
}

}  // namespace evenkeel::worker
