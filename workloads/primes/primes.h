#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::primes {

inline constexpr std::string_view kName = "primes";
inline constexpr std::uint32_t kVersion = 1;

enum class Method { kTrialDivision, kSieve };

/// spec.workload.primes
struct PrimesSpec {
  std::int64_t end = 1;  ///< the largest number looked at
  Method method = Method::kTrialDivision;
  bool list = false;  ///< write primes.npy
  std::int64_t candidates_per_task = 1;
};

/// More tasks than these would only cost memory.
inline constexpr std::int64_t kMaxTasks = std::int64_t{1} << 20;

/// Odd candidates in a task unless the user says otherwise. TrialDivision: as few as kMaxTasks
/// allows. Sieve: so many that sieving outweighs starting, and still 256 tasks to share from about
/// a million on.
[[nodiscard]] std::int64_t DefaultCandidatesPerTask(Method method, std::int64_t end);

/// Reads the parameters; errors as FieldReader gives them.
[[nodiscard]] Result<PrimesSpec> ReadPrimesSpec(model::FieldReader fields);

/// Counts the primes up to an end: tasks are runs of odd candidates, 2 is added by the reducer.
/// Costs: TrialDivision: divisions, computed when first asked for; Sieve: candidates.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakePrimes(const model::FieldReader& fields);

}  // namespace evenkeel::workloads::primes
