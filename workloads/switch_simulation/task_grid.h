#pragma once

#include <cstddef>

#include "core/model/index_range.h"
#include "workloads/switch_simulation/switch_simulation.h"

namespace evenkeel::workloads::switch_simulation {

/// Where a task stands in the lists of the job.
struct TaskPlace {
  std::size_t seed = 0;
  std::size_t load = 0;
  std::size_t buffer_size = 0;
  std::size_t algorithm = 0;
};

/// The tasks are counted with the algorithm first, then the buffer size, the load and the seed.
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

}  // namespace evenkeel::workloads::switch_simulation
