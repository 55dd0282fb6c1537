#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "core/model/index_range.h"
#include "workloads/parameter_estimation/data_flow_graph.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::parameter_estimation {

inline constexpr std::string_view kName = "parameterEstimation";
inline constexpr std::uint32_t kVersion = 1;

/// A type of functional unit, and the numbers of units to try.
struct UnitType {
  std::string name;
  std::vector<std::string> kinds;  ///< kinds of operations; two types never share one
  std::uint32_t min = 1;
  std::uint32_t max = 1;
  std::uint32_t cycles = 1;            ///< from the start of an operation to its result
  bool pipelined = false;              ///< takes the next operation after one cycle
  std::int64_t area = 0;               ///< of one unit, in the user's unit of area
  std::int64_t energy_picojoules = 0;  ///< of one operation
  std::int64_t idle_microwatts = 0;    ///< of one unit, always
};

enum class Method : std::uint8_t {
  kAutomatic,  ///< exact if the graph is small enough, else list
  kList,       ///< list scheduling only
  kExact,      ///< branch and bound
};

/// spec.workload.parameterEstimation: a task for each combination of numbers of units.
struct EstimationSpec {
  DataFlowGraph graph;
  std::vector<UnitType> units;
  std::int64_t clock_megahertz = 100;
  Method method = Method::kAutomatic;
  /// Steps of the search that one task may take.
  std::int64_t search_limit = 1'000'000;
};

inline constexpr std::size_t kMaxOperations = 500;
inline constexpr std::size_t kMaxOperands = 16;
/// Limit of the exact search, which keeps a set of operations in one 64-bit word.
inline constexpr std::size_t kMaxExactOperations = 64;
inline constexpr std::size_t kMaxUnitTypes = 8;
inline constexpr std::size_t kMaxKinds = 16;
inline constexpr std::int64_t kMaxUnits = 64;
inline constexpr std::int64_t kMaxCycles = 64;
inline constexpr std::int64_t kMaxArea = 1'000'000'000;
inline constexpr std::int64_t kMaxPicojoules = 1'000'000;
inline constexpr std::int64_t kMaxMicrowatts = 1'000'000'000;
inline constexpr std::int64_t kMaxMegahertz = 10'000;
inline constexpr std::int64_t kMaxSearchLimit = 100'000'000;
/// Bounds the results that the reducer keeps: 3 MB.
inline constexpr std::int64_t kMaxTasks = 100'000;

/// Reads the parameters; errors as FieldReader gives them.
[[nodiscard]] Result<EstimationSpec> ReadEstimationSpec(model::FieldReader fields);

/// The parameter estimation of hardware/software codesign (Sanchez, Macias and Suarez, "Effective
/// load balancing on a LAN-WLAN cluster", section 4.1): execution time, power and area of a circuit
/// for each combination of functional units. Costs are not known beforehand.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeParameterEstimation(
    const model::FieldReader& fields);

/// The number of units of each type, in the order of the job's list.
using UnitCounts = std::vector<std::uint32_t>;

/// Number of combinations of min..max units of each type. Cannot overflow within the limits above.
[[nodiscard]] inline std::int64_t CountCombinations(const std::vector<UnitType>& units) {
  std::int64_t combinations = 1;
  for (const UnitType& unit : units) combinations *= unit.max - unit.min + 1;
  return combinations;
}

/// The combination of a task. The number of units of the first type varies fastest.
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
