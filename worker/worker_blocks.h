#pragma once

#include <memory>

#include "worker/block_client.h"
#include "worker/block_host.h"
#include "worker/worker_process.h"
#include "workloads/block_cache.h"
#include "workloads/workload.h"

namespace evenkeel::worker {

/// The blocks of one job at a worker: memory for them, and the ways to and from others.
/// Thread-safe.
class WorkerBlocks {
 public:
  WorkerBlocks(const WorkerOptions& options, const workloads::BlockPolicy& policy);

  [[nodiscard]] workloads::BlockCache& Cache() { return cache_; }
  [[nodiscard]] workloads::BlockFetcher& Fetcher() { return *client_; }

 private:
  workloads::BlockCache cache_;      // outlives those that use it
  std::unique_ptr<BlockHost> host_;  // null: nobody is served
  std::unique_ptr<BlockClient> client_;
};

}  // namespace evenkeel::worker
