#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/cost_model.h"
#include "core/model/field_reader.h"
#include "core/model/index_range.h"
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
  std::vector<double> loads;                ///< cells per input and slot, above 0, at most 1
  std::vector<std::uint32_t> buffer_sizes;  ///< cells per crosspoint
  std::vector<Algorithm> algorithms;
  std::vector<std::uint64_t> seeds;
};

inline constexpr std::int64_t kMaxSlots = 100'000'000;
/// Maximum length of each list except that of the algorithms.
inline constexpr std::size_t kMaxListed = 64;
/// Bounds the results that the reducer keeps: 9 MB.
inline constexpr std::int64_t kMaxTasks = 100'000;
/// Maximum number of cells in all queues of a switch: 16 MiB for each thread if all are full.
inline constexpr std::int64_t kMaxCells = std::int64_t{1} << 22;

/// Reads the parameters; errors as FieldReader gives them.
[[nodiscard]] Result<SwitchSpec> ReadSwitchSpec(model::FieldReader fields);

/// Simulates crosspoint-queued switches under uniform traffic. Costs: see TaskCost.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeSwitchSimulation(
    const model::FieldReader& fields);

/// The indexes of a task's parameters in the lists of the job.
struct TaskPlace {
  std::size_t seed = 0;
  std::size_t load = 0;
  std::size_t buffer_size = 0;
  std::size_t algorithm = 0;
};

/// Number of tasks. By index, the algorithm varies fastest, then buffer size, load and seed.
[[nodiscard]] inline std::int64_t TaskCountOf(const SwitchSpec& spec) {
  return static_cast<std::int64_t>(spec.seeds.size() * spec.loads.size() *
                                   spec.buffer_sizes.size() * spec.algorithms.size());
}
[[nodiscard]] inline TaskPlace PlaceOf(const SwitchSpec& spec, model::TaskIndex index) {
  auto left = static_cast<std::size_t>(index);
  const auto digit = [&left](std::size_t base) {
    const std::size_t value = left % base;
    left /= base;
    return value;
  };
  TaskPlace place;
  place.algorithm = digit(spec.algorithms.size());
  place.buffer_size = digit(spec.buffer_sizes.size());
  place.load = digit(spec.loads.size());
  place.seed = left;
  return place;
}
[[nodiscard]] inline model::TaskIndex IndexOf(const SwitchSpec& spec, const TaskPlace& place) {
  std::size_t index = place.seed;
  index = index * spec.loads.size() + place.load;
  index = index * spec.buffer_sizes.size() + place.buffer_size;
  return static_cast<model::TaskIndex>(index * spec.algorithms.size() + place.algorithm);
}

/// The cost of a task: slots x ports x (a + b load), in nanoseconds of the machine that a and b
/// were measured on. These depend on the algorithm; the buffer size has little effect.
/// bench/switch_bench measures a and b; docs/workloads.md has the accuracy.
[[nodiscard]] model::Cost TaskCost(const SwitchSpec& spec, Algorithm algorithm, double load);

/// The costs of all tasks, by index.
[[nodiscard]] std::vector<model::Cost> TaskCosts(const SwitchSpec& spec);

}  // namespace evenkeel::workloads::switch_simulation
