#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/model/range_set.h"
#include "workloads/task_files.h"
#include "workloads/workload.h"

namespace evenkeel::workloads {

/// The files of declared paths in a folder, by path. kInvalidInput: one is missing, is no regular
/// file, or leads out of the folder; a glob matches nothing, or too much.
[[nodiscard]] Result<std::vector<FileVersion>> FindInputFiles(
    const std::filesystem::path& folder, const std::vector<DeclaredPath>& declared);
/// The input files of one task, by path, each once: `common`, which are those that all tasks need,
/// by path, and its own ones, which are in `folder`. `input`: TaskCall::input. Errors: those of
/// FindInputFiles, and of more than kMaxInputFiles. Any thread.
[[nodiscard]] Result<std::vector<FileVersion>> FindInputsOf(const Workload& workload,
                                                            const std::filesystem::path& folder,
                                                            const std::vector<FileVersion>& common,
                                                            model::TaskIndex index,
                                                            std::string_view input);

/// Where the files of the tasks of a local run are, for its workers.
struct LocalFiles {
  std::filesystem::path inputs;     ///< folder to which the declared inputs are relative
  std::filesystem::path results;    ///< folder of the run; output files are in its folder `files`
  std::vector<FileVersion> common;  ///< files that all tasks need, by path

  /// Folder of the output files: INDEX/PATH.
  [[nodiscard]] std::filesystem::path Outputs() const { return results / kOutputsFolder; }
  /// Folder of what only a running job needs.
  [[nodiscard]] std::filesystem::path Running() const { return results / ".tasks"; }
};

/// Finds the files that all tasks of the workload need. Both folders are made absolute.
/// kInvalidInput: one is missing, or is no regular file in `inputs`.
[[nodiscard]] Result<LocalFiles> FindLocalFiles(const Workload& workload,
                                                const std::filesystem::path& inputs,
                                                const std::filesystem::path& results);

/// To be called before the workers of a run start, and while no others run: removes what earlier
/// ones have left behind, and writes what the new ones read. Returns the file for ReadLocalFiles.
[[nodiscard]] Result<std::filesystem::path> PrepareLocalFiles(const LocalFiles& files);
/// kInvalidInput: the file is not one of PrepareLocalFiles.
[[nodiscard]] Result<LocalFiles> ReadLocalFiles(const std::filesystem::path& file);
/// To be called when no worker runs any more: removes what only they needed, and the output files
/// of tasks that are not in `completed`, for example of a task that wrote them just before the run
/// was interrupted.
[[nodiscard]] Result<void> CleanUpLocalFiles(const LocalFiles& files,
                                             const model::RangeSet& completed);

/// The files of tasks on this machine. Inputs are read where they are. Output files are copied into
/// an OutputFolder.
[[nodiscard]] std::unique_ptr<TaskFiles> MakeLocalTaskFiles(
    LocalFiles files, std::shared_ptr<const Workload> workload);

}  // namespace evenkeel::workloads
