#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "workloads/workload.h"

namespace evenkeel::workloads {

/// The workload, or a test failure and null.
[[nodiscard]] std::shared_ptr<const Workload> MakeOrFail(const std::string& name,
                                                         const std::string& parameters);

/// The error for the parameters, one line; empty if they are valid.
[[nodiscard]] std::string ParameterError(const std::string& name, const std::string& parameters);

/// Parameters that a workload refuses, as JSON, and its error after "spec.workload.NAME.".
struct ErrorCase {
  const char* parameters;
  const char* want;
};
/// Each of them is refused with just these words.
void ExpectRefused(const std::string& workload, const std::vector<ErrorCase>& cases);

/// The result bytes of one task that must succeed.
[[nodiscard]] std::string ResultOf(const Workload& workload, model::TaskIndex task);

/// The results of the tasks of `range`, run one after the other.
[[nodiscard]] model::PackedResults RunRange(const Workload& workload, model::IndexRange range);

/// Runs a task, which must be a long one, on a thread and stops it while it runs; returns how it
/// ended. A test failure if that took 10 s or if the stopped task left a result.
[[nodiscard]] TaskOutcome StopMidRun(const Workload& workload, model::TaskIndex task);

/// [0, task_count) cut into ranges of at most `longest` tasks in an order drawn from `seed`.
[[nodiscard]] std::vector<model::IndexRange> ShuffledRanges(std::int64_t task_count,
                                                            std::int64_t longest,
                                                            std::uint64_t seed);

/// Runs the whole job, its ranges in the given order; returns the result as JSON text.
[[nodiscard]] std::string RunJob(const Workload& workload,
                                 const std::vector<model::IndexRange>& ranges,
                                 const std::filesystem::path& folder);
/// The same in one range, in index order, and the result files are thrown away.
[[nodiscard]] std::string RunJob(const Workload& workload);

/// A new folder, removed with all that is in it at the end.
class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();
  [[nodiscard]] const std::filesystem::path& Path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The content of a file; empty if it cannot be read.
[[nodiscard]] std::string ContentOf(const std::filesystem::path& path);

/// A .npy file, taken apart.
struct NpyFile {
  std::size_t data_offset = 0;
  std::string dictionary;  ///< without padding
  std::vector<std::uint64_t> elements;
};
[[nodiscard]] NpyFile ReadNpy(const std::filesystem::path& path);

}  // namespace evenkeel::workloads
