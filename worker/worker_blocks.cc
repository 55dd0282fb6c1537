#include "worker/worker_blocks.h"

#include <algorithm>

#include "core/base/log.h"
#include "worker/machine.h"

namespace evenkeel::worker {
namespace {

// Beside blocks: the program, buffers of kernels and of the transport, results under way.
constexpr std::int64_t kOtherBytes = 64 << 20;
constexpr std::int64_t kOtherBytesPerThread = 32 << 20;

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

std::unique_ptr<BlockHost> Serve(const WorkerOptions& options, const workloads::BlockPolicy& policy,
                                 workloads::BlockCache& cache) {
  // With certificates, only workers whose name is known can be told from the coordinator.
  if (!policy.between_workers || (options.connection.tls && options.peer_name.empty())) return {};
  auto host = BlockHost::Start(
      {options.connection.tls, options.peer_name, options.token, options.peer_port}, cache);
  if (host) return std::move(*host);
  Log(LogLevel::kWarning, host.error().message);
  return {};
}

}  // namespace

WorkerBlocks::WorkerBlocks(const WorkerOptions& options, const workloads::BlockPolicy& policy)
    : cache_(CacheBytes(options, policy.cache_bytes)), host_(Serve(options, policy, cache_)) {
  BlockClient::Options client;
  client.home = options.connection;
  client.token = options.token;
  client.peer_name = options.peer_name;
  client.port = host_ ? host_->Port() : std::uint16_t{0};
  client.window = policy.window;
  client.refresh_at = policy.refresh_at;
  client_ = std::make_unique<BlockClient>(std::move(client));
}

}  // namespace evenkeel::worker
