#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/model/chart.h"
#include "workloads/switch_simulation/switch_simulation.h"
#include "workloads/switch_simulation/task_result.h"

namespace evenkeel::workloads::switch_simulation {

/// The results of a job's tasks by index; empty for tasks that failed for good.
class SweepResults {
 public:
  /// `spec` must outlive this.
  explicit SweepResults(const SwitchSpec& spec)
      : spec_(&spec), results_(static_cast<std::size_t>(TaskCountOf(spec))) {}

  [[nodiscard]] const SwitchSpec& Spec() const { return *spec_; }
  [[nodiscard]] const std::vector<std::optional<TaskResult>>& All() const { return results_; }
  void Set(model::TaskIndex index, const TaskResult& result) {
    results_[static_cast<std::size_t>(index)] = result;
  }

  /// The mean of `measure` over all seeds with a result at `place`, whose `seed` is ignored.
  /// Nothing if there is no result.
  [[nodiscard]] std::optional<double> Mean(
      TaskPlace place, const std::function<double(const TaskResult&)>& measure) const;
  /// Number of cells lost at `place` over all seeds; `place.seed` is ignored.
  [[nodiscard]] std::uint64_t LostAt(TaskPlace place) const;

 private:
  const SwitchSpec* spec_;
  std::vector<std::optional<TaskResult>> results_;
};

/// The indexes of a list sorted by its values: OrderOf({5, 1, 3}) is {1, 2, 0}.
template <typename T>
[[nodiscard]] std::vector<std::size_t> OrderOf(const std::vector<T>& values);

extern template std::vector<std::size_t> OrderOf(const std::vector<double>&);
extern template std::vector<std::size_t> OrderOf(const std::vector<std::uint32_t>&);

/// Writes the results as CSV (RFC 4180, but lines end with LF): a line of names, then one for each
/// task that has a result, in the order of their indexes. Errors: those of platform::AtomicFile.
[[nodiscard]] Result<void> WriteResultTable(const std::filesystem::path& path,
                                            const SweepResults& results);

/// Loss, mean and 99th percentile of the delay, and throughput by load, with a view for each of up
/// to 12 buffer sizes; loss by buffer size, with a view for each of up to 12 loads. Each series is
/// an algorithm, with means over the seeds. A dimension with only one value gets no chart.
[[nodiscard]] std::vector<model::Chart> ChartsOf(const SweepResults& results);

}  // namespace evenkeel::workloads::switch_simulation
