// The core of switchSimulation: CPU time per slot of a 16 x 16 switch by algorithm, load and buffer
// size, and the part of it that generates traffic. docs/workloads.md has the figures.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "workloads/switch_simulation/crosspoint_switch.h"
#include "workloads/switch_simulation/traffic.h"

namespace {

namespace sim = evenkeel::workloads::switch_simulation;

constexpr std::uint32_t kPorts = 16;
constexpr std::uint32_t kSlots = 1'000'000;

/// Runs `each` for every block of kSlots slots of traffic.
template <typename Each>
void ForEachBlock(double load, Each each) {
  const sim::Traffic traffic(kPorts, load, 1);
  static sim::ArrivalBlock arrivals;
  for (std::uint32_t slot = 0; slot < kSlots; slot += arrivals.Slots()) {
    traffic.Fill(slot, std::min(sim::ArrivalBlock::kMaxSlots, kSlots - slot), arrivals);
    each(arrivals);
  }
}

/// Seconds per million slots, and nanoseconds per output and slot.
void SetRates(benchmark::State& state) {
  using benchmark::Counter;
  const double outputs = double{kPorts} * kSlots * static_cast<double>(state.iterations());
  state.counters["ns_an_output_and_slot"] =
      Counter(outputs * 1e-9, Counter::kIsRate | Counter::kInvert);
}

void BM_Traffic(benchmark::State& state) {
  const double load = static_cast<double>(state.range(0)) / 100;
  for (auto _ : state) {
    ForEachBlock(load, [](const sim::ArrivalBlock& block) { benchmark::DoNotOptimize(&block); });
  }
  SetRates(state);
}

/// Arguments: algorithm, load in percent, cells per buffer.
void BM_Switch(benchmark::State& state) {
  const auto algorithm = static_cast<sim::Algorithm>(state.range(0));
  const double load = static_cast<double>(state.range(1)) / 100;
  const auto buffer_size = static_cast<std::uint32_t>(state.range(2));
  state.SetLabel(std::string(sim::NameOf(algorithm)));
  for (auto _ : state) {
    const auto crosspoints = sim::MakeCrosspointSwitch({kPorts, buffer_size}, algorithm, 1);
    ForEachBlock(load, [&](const sim::ArrivalBlock& block) { crosspoints->Run(block); });
    benchmark::DoNotOptimize(crosspoints->Counts().departed);
  }
  SetRates(state);
}

}  // namespace

BENCHMARK(BM_Traffic)->Arg(10)->Arg(50)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Switch)
    ->ArgsProduct({benchmark::CreateDenseRange(0, sim::kAlgorithmCount - 1, 1),
                   {10, 40, 70, 100},
                   {1, 8, 1024}})
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
