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

/// How a task spends its cost. kNone: a task takes no time.
enum class Mode { kSleep, kSpin, kNone };

/// spec.workload.synthetic
struct SyntheticSpec {
  std::int64_t tasks = 1;
  CostShape cost;  ///< ignored with Mode::kNone
  std::uint64_t seed = 1;
  Mode mode = Mode::kSleep;
  bool costs_known = true;
  std::vector<model::TaskIndex> failing;         ///< tasks that fail, ascending
  std::optional<std::int32_t> failing_attempts;  ///< how often each fails; nothing: always
  std::optional<std::int32_t> exit_code;         ///< of their failures
};

/// Maximum number of tasks with a table of costs and a file of results.
inline constexpr std::int64_t kMaxTasksInTables = 10'000'000;

/// Reads the parameters; errors as FieldReader gives them.
[[nodiscard]] Result<SyntheticSpec> ReadSyntheticSpec(model::FieldReader fields);

/// Tasks for tests and benchmarks that sleep or spin for a given or random time and return their
/// index and a hash of it. Costs: nanoseconds at speed 1; with costsKnown: false or mode None,
/// every task counts 1.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeSynthetic(
    const model::FieldReader& fields);

}  // namespace evenkeel::workloads::synthetic
