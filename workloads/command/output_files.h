#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "platform/file_descriptor.h"
#include "workloads/command/launcher_connection.h"
#include "workloads/task_files.h"

namespace evenkeel::workloads::command {

/// The output files of one run of a task, open. Not thread-safe.
class OutputFiles {
 public:
  /// Finds and opens through the launcher, in `directory`, the files that `declared` names; globs
  /// leave out folders and the inputs of the task. Errors: kInvalidInput, the task fails: a file
  /// that is no glob is missing, something is no regular file, or there are more than
  /// kMaxOutputFiles or `limit_bytes`. Others as of LauncherConnection::OpenFile.
  [[nodiscard]] static Result<OutputFiles> Collect(LauncherConnection& launcher,
                                                   const std::filesystem::path& directory,
                                                   const std::vector<DeclaredPath>& declared,
                                                   std::span<const InputFile> inputs,
                                                   std::int64_t limit_bytes);

  /// By path. Valid as long as this.
  [[nodiscard]] std::span<const OutputFile> Files() const { return files_; }

 private:
  [[nodiscard]] Result<void> Add(LauncherConnection& launcher,
                                 const std::filesystem::path& directory, const std::string& path,
                                 std::int64_t limit_bytes);

  std::vector<platform::FileDescriptor> descriptors_;
  std::vector<OutputFile> files_;
  std::int64_t bytes_ = 0;
};

}  // namespace evenkeel::workloads::command
