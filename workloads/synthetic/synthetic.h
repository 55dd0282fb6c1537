#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "workloads/synthetic/task_costs.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::synthetic {

inline constexpr std::string_view kName = "synthetic";
inline constexpr std::uint32_t kVersion = 1;

/// What a task does for as long as it costs; kNone: nothing at all.
enum class Mode { kSleep, kSpin, kNone };

/// spec.workload.synthetic
struct SyntheticSpec {
  std::int64_t tasks = 1;
  CostShape cost;  ///< not looked at with Mode::kNone
  std::uint64_t seed = 1;
  Mode mode = Mode::kSleep;
  bool costs_known = true;
  std::vector<model::TaskIndex> failing;         ///< ascending: they fail
  std::optional<std::int32_t> failing_attempts;  ///< so often; nothing: always
  std::optional<std::int32_t> exit_code;         ///< that their failures say
};

/// More tasks than these get no table of costs and no file of results.
inline constexpr std::int64_t kMaxTasksInTables = 10'000'000;

/// Reads the parameters; errors as FieldReader gives them.
[[nodiscard]] Result<SyntheticSpec> ReadSyntheticSpec(model::FieldReader fields);

/// Tasks that sleep or spin for a given or drawn time and return their index and a hash of it, for
/// tests and benchmarks. Costs: nanoseconds at speed 1; tasks with costsKnown: false or mode None.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeSynthetic(
    const model::FieldReader& fields);

}  // namespace evenkeel::workloads::synthetic
