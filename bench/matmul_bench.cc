// Benchmarks of the parts of a matrix product: kernels, tiles, sums of threads, transport of
// blocks. docs/benchmarks.md compares the figures with those of Melesio (2024).
#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "coordinator/block_home.h"
#include "coordinator/worker_server.h"
#include "core/base/freed_memory.h"
#include "worker/block_client.h"
#include "workloads/block_cache.h"
#include "workloads/built_in.h"
#include "workloads/matmul/gemm.h"

namespace {

namespace workloads = evenkeel::workloads;
using evenkeel::Result;
using workloads::matmul::FactorRows;

void SetFlops(benchmark::State& state, double of_one) {
  state.counters["flops"] = benchmark::Counter(of_one * static_cast<double>(state.iterations()),
                                               benchmark::Counter::kIsRate);
}

/// A square product of this edge by the kernel alone, the reference for the rest.
template <typename Number>
void BM_Kernel(benchmark::State& state) {
  const std::int64_t edge = state.range(0);
  const auto elements = static_cast<std::size_t>(edge * edge);
  const std::vector<Number> a(elements, Number{1});
  const std::vector<Number> b(elements, Number{2});
  std::vector<Number> c(elements);
  for (auto _ : state) {
    workloads::matmul::AddProduct(edge, edge, edge, FactorRows<Number>{a.data(), edge},
                                  FactorRows<Number>{b.data(), edge}, c.data());
    benchmark::DoNotOptimize(c.data());
  }
  const auto length = static_cast<double>(edge);
  SetFlops(state, 2 * length * length * length);
}

/// Tasks of a product of this edge as a worker runs them, with all blocks in its memory.
void BM_Tile(benchmark::State& state, const char* type) {
  const std::string matrix = R"({"random": {"rows": )" + std::to_string(state.range(0)) +
                             R"(, "columns": )" + std::to_string(state.range(0)) + "}}";
  const auto workload = *workloads::BuiltInWorkloads().Make(
      "matmul", R"({"a": )" + matrix + R"(, "b": )" + matrix + R"(, "type": ")" + type + "\"}", {});
  workloads::BlockCache cache(std::int64_t{2} << 30);
  workloads::RunnerOptions options;
  options.block_cache = &cache;
  const auto runner = workload->MakeRunner(options);
  std::string result;
  workloads::TaskFailure failure;
  std::int64_t task = 0;
  const auto next = [&] {
    result.clear();
    static_cast<void>(runner->Run({task, 0, {}}, {}, result, failure));
    task = (task + 1) % workload->TaskCount();
  };
  for (std::int64_t n = 0; n < workload->TaskCount(); ++n) next();  // fills the memory
  for (auto _ : state) next();
  SetFlops(state, static_cast<double>(workload->Costs()->Total()) /
                      static_cast<double>(workload->TaskCount()));
}

/// Jobs of one block times one block, as in the thesis' table of job sizes. Multiply-adds per
/// second hardly depend on the size: p x p jobs of a larger block take longer because they are more
/// work.
void BM_Job(benchmark::State& state) { BM_Kernel<float>(state); }

/// Threads that add partial results of a block into one sum: with atomic additions, under a lock,
/// and, as in tiles here, each into its own sum.
enum class Sums : std::uint8_t { kAtomic, kLocked, kOwn };

template <Sums kSums>
void BM_PartialSums(benchmark::State& state) {
  constexpr std::size_t kElements = 73 * 73;
  static std::vector<float> shared(kElements);
  static std::mutex mutex;
  const std::vector<float> part(kElements, 1.0F);
  std::vector<float> own(kElements);
  for (auto _ : state) {
    if constexpr (kSums == Sums::kAtomic) {
      for (std::size_t n = 0; n < kElements; ++n) {
        std::atomic_ref<float>(shared[n]).fetch_add(part[n], std::memory_order_relaxed);
      }
    } else {
      std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
      if (kSums == Sums::kLocked) lock.lock();
      std::vector<float>& sum = kSums == Sums::kLocked ? shared : own;
      for (std::size_t n = 0; n < kElements; ++n) sum[n] += part[n];
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kElements));
}

constexpr std::int64_t kBlockBytes = 2 << 20;

/// A source that has all blocks.
class MemoryBlocks final : public workloads::BlockSource {
 public:
  std::int64_t SizeOf(workloads::BlockId) const override { return kBlockBytes; }
  Result<void> Read(workloads::BlockId, std::int64_t, std::span<char> into) const override {
    for (std::size_t n = 0; n < into.size(); n += 4096) into[n] = 1;
    return {};
  }
};

class NoListener final : public evenkeel::coordinator::StreamListener {
 public:
  void OnMessage(evenkeel::coordinator::StreamId, evenkeel::engine::ToCoordinator) override {}
  void OnClosed(evenkeel::coordinator::StreamId) override {}
};

constexpr int kBlocksAtATime = 16;

/// One direction of loopback: a coordinator's server and a worker's client.
class Direction {
 public:
  Direction(std::int64_t window, std::int64_t refresh_at) {
    evenkeel::coordinator::ServerOptions options;
    options.chunks = &home_;
    server_ = *evenkeel::coordinator::WorkerServer::Start(options, listener_);
    evenkeel::worker::ConnectionOptions home;
    home.address = "127.0.0.1:" + std::to_string(server_->Port());
    connections_ = std::make_unique<evenkeel::worker::DataConnections>(home, "");
    chunks_ = std::make_unique<evenkeel::worker::ChunkFetcher>(
        evenkeel::worker::ChunkFetcher::Options{}, *connections_);
    client_ = std::make_unique<evenkeel::worker::BlockClient>(
        evenkeel::worker::BlockClient::Options{window, refresh_at}, *chunks_);
  }
  /// Requests blocks; `missing` decreases with each one that arrives.
  void Fetch(std::atomic<int>& missing) {
    for (int n = 0; n < kBlocksAtATime; ++n) {
      client_->Fetch(static_cast<workloads::BlockId>(n), memory_[static_cast<std::size_t>(n)],
                     [&missing](const Result<void>&) {
                       --missing;
                       missing.notify_all();
                     });
    }
  }

 private:
  const MemoryBlocks blocks_;
  evenkeel::coordinator::BlockHome home_{blocks_, /*between_workers=*/true};
  NoListener listener_;
  std::vector<std::vector<char>> memory_{kBlocksAtATime, std::vector<char>(kBlockBytes)};
  std::unique_ptr<evenkeel::coordinator::WorkerServer> server_;
  std::unique_ptr<evenkeel::worker::DataConnections> connections_;
  std::unique_ptr<evenkeel::worker::ChunkFetcher> chunks_;
  std::unique_ptr<evenkeel::worker::BlockClient> client_;
};

void Await(std::atomic<int>& missing) {
  for (int left = missing; left > 0; left = missing) missing.wait(left);
}

/// Blocks from a coordinator to a worker over loopback; arguments: window, refreshAt.
void BM_Transport(benchmark::State& state) {
  Direction there(state.range(0), state.range(1));
  for (auto _ : state) {
    std::atomic<int> missing{kBlocksAtATime};
    there.Fetch(missing);
    Await(missing);
  }
  state.SetBytesProcessed(state.iterations() * kBlocksAtATime * kBlockBytes);
}

/// Equal traffic in both directions at the same time, like the thesis' echo; bytes per second and
/// direction.
void BM_Echo(benchmark::State& state) {
  Direction there(8, 4);
  Direction back(8, 4);
  for (auto _ : state) {
    std::atomic<int> missing{2 * kBlocksAtATime};
    there.Fetch(missing);
    back.Fetch(missing);
    Await(missing);
  }
  state.SetBytesProcessed(state.iterations() * kBlocksAtATime * kBlockBytes);
}

}  // namespace

BENCHMARK_TEMPLATE(BM_Kernel, float)->Arg(1024)->Arg(2048)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK_TEMPLATE(BM_Kernel, std::uint32_t)->Arg(1024)->UseRealTime();
BENCHMARK_TEMPLATE(BM_Kernel, std::uint64_t)->Arg(1024)->UseRealTime();
BENCHMARK_TEMPLATE(BM_Kernel, double)->Arg(1024)->Arg(2048)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK_CAPTURE(BM_Tile, single, "Float32")->Arg(2048)->Arg(4096)->Arg(8192)->UseRealTime();
BENCHMARK_CAPTURE(BM_Tile, double, "Float64")->Arg(2048)->Arg(4096)->UseRealTime();
// The published sizes: 32, 62.45, 117, 264 and 512 KB a job, three blocks of single precision each.
BENCHMARK(BM_Job)->Arg(52)->Arg(73)->Arg(99)->Arg(148)->Arg(206)->Arg(512);
BENCHMARK_TEMPLATE(BM_PartialSums, Sums::kAtomic)->ThreadRange(1, 4)->UseRealTime();
BENCHMARK_TEMPLATE(BM_PartialSums, Sums::kLocked)->ThreadRange(1, 4)->UseRealTime();
BENCHMARK_TEMPLATE(BM_PartialSums, Sums::kOwn)->ThreadRange(1, 4)->UseRealTime();
BENCHMARK(BM_Echo)->UseRealTime();
BENCHMARK(BM_Transport)
    ->ArgNames({"window", "refreshAt"})
    ->Args({1, 0})
    ->Args({2, 1})
    ->Args({4, 2})
    ->Args({8, 4})
    ->Args({8, 0})
    ->Args({16, 8})
    ->Args({40, 4})
    ->UseRealTime();

// Like the real processes.
int main(int argc, char** argv) {
  evenkeel::KeepFreedMemory();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
