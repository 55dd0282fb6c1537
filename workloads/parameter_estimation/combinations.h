#pragma once

#include <cstdint>
#include <vector>

#include "core/model/index_range.h"
#include "workloads/parameter_estimation/parameter_estimation.h"

namespace evenkeel::workloads::parameter_estimation {

/// How many units of each type there are, in the order of the job's list.
using UnitCounts = std::vector<std::uint32_t>;

/// All combinations of min..max units of each type; cannot overflow within the bounds of a spec.
[[nodiscard]] inline std::int64_t CountCombinations(const std::vector<UnitType>& units) {
  std::int64_t combinations = 1;
  for (const UnitType& unit : units) combinations *= unit.max - unit.min + 1;
  return combinations;
}

/// The combination of a task. They are counted with the first type first.
[[nodiscard]] inline UnitCounts CombinationAt(const std::vector<UnitType>& units,
                                              model::TaskIndex index) {
  UnitCounts counts;
  for (const UnitType& unit : units) {
    const std::int64_t choices = std::int64_t{unit.max} - unit.min + 1;
    counts.push_back(unit.min + static_cast<std::uint32_t>(index % choices));
    index /= choices;
  }
  return counts;
}

}  // namespace evenkeel::workloads::parameter_estimation
