#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "workloads/switch_simulation/algorithm.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::switch_simulation {

inline constexpr std::string_view kName = "switchSimulation";
inline constexpr std::uint32_t kVersion = 1;

/// spec.workload.switchSimulation: a task for each combination of seed, load, buffer size and
/// algorithm. The lists have no value twice.
struct SwitchSpec {
  std::uint32_t ports = 16;
  std::uint32_t slots = 1'000'000;
  std::vector<double> loads;                ///< cells an input and slot, above 0, at most 1
  std::vector<std::uint32_t> buffer_sizes;  ///< cells a crosspoint
  std::vector<Algorithm> algorithms;
  std::vector<std::uint64_t> seeds;
};

inline constexpr std::int64_t kMaxSlots = 100'000'000;
/// Of all lists but that of the algorithms.
inline constexpr std::size_t kMaxListed = 64;
/// The reducer keeps the result of each: 9 MB.
inline constexpr std::int64_t kMaxTasks = 100'000;
/// Cells in all queues of a switch: 16 MiB for each thread that simulates one, if all are full.
inline constexpr std::int64_t kMaxCells = std::int64_t{1} << 22;

/// Reads the parameters; errors as FieldReader gives them.
[[nodiscard]] Result<SwitchSpec> ReadSwitchSpec(model::FieldReader fields);

/// Simulates crosspoint-queued switches under uniform traffic. Costs: see TaskCost.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeSwitchSimulation(
    const model::FieldReader& fields);

}  // namespace evenkeel::workloads::switch_simulation
