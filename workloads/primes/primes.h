#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "core/model/index_range.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::primes {

/// Index of an odd candidate: candidate i is the number 2i + 1, so 0 stands for 1.
using CandidateIndex = std::int64_t;
/// Half-open interval of candidate indexes.
using CandidateRange = model::IndexRange;

[[nodiscard]] constexpr std::uint64_t NumberOf(CandidateIndex candidate) {
  return 2 * static_cast<std::uint64_t>(candidate) + 1;
}
/// Number of odd numbers in 1..end; end >= 1.
[[nodiscard]] constexpr std::int64_t CandidatesUpTo(std::int64_t end) { return (end - 1) / 2 + 1; }

/// The candidates 1, 3, 5, ... up to `end`, divided into tasks of equal length; the last one may be
/// shorter. A value.
class CandidateTasks {
 public:
  /// end >= 1, candidates_per_task >= 1.
  CandidateTasks(std::int64_t end, std::int64_t candidates_per_task);

  [[nodiscard]] std::int64_t End() const { return end_; }
  [[nodiscard]] std::int64_t PerTask() const { return per_task_; }
  [[nodiscard]] std::int64_t CandidateCount() const { return count_; }
  [[nodiscard]] std::int64_t TaskCount() const { return (count_ - 1) / per_task_ + 1; }
  [[nodiscard]] CandidateRange Of(model::TaskIndex task) const;

 private:
  std::int64_t end_;
  std::int64_t per_task_;
  std::int64_t count_;
};

inline constexpr std::string_view kName = "primes";
inline constexpr std::uint32_t kVersion = 1;

enum class Method { kTrialDivision, kSieve };

/// spec.workload.primes
struct PrimesSpec {
  std::int64_t end = 1;  ///< the largest number that is tested
  Method method = Method::kTrialDivision;
  bool list = false;  ///< write primes.npy
  std::int64_t candidates_per_task = 1;
};

/// Maximum number of tasks; more would only cost memory.
inline constexpr std::int64_t kMaxTasks = std::int64_t{1} << 20;

/// Default number of odd candidates in a task. TrialDivision: as few as kMaxTasks allows. Sieve:
/// end divided by 256 tasks, but at least as many that sieving takes longer than starting a task.
[[nodiscard]] std::int64_t DefaultCandidatesPerTask(Method method, std::int64_t end);

/// Reads the parameters; errors as FieldReader gives them.
[[nodiscard]] Result<PrimesSpec> ReadPrimesSpec(model::FieldReader fields);

/// Counts the primes up to `end`: tasks are ranges of odd candidates, and the reducer adds 2.
/// Costs: TrialDivision: divisions, computed at the first call of Costs(); Sieve: candidates.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakePrimes(const model::FieldReader& fields);

}  // namespace evenkeel::workloads::primes
