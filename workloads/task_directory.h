#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "workloads/task_files.h"

namespace evenkeel::workloads {

/// Makes a directory for each run of a task. They are removed by the launcher of commands, because
/// their content may belong to its user. Thread-safe.
class TaskDirectories {
 public:
  /// Makes `folder` if it is missing. Directories that an earlier process has left there are
  /// leftovers. One process at a time may use it. kUnavailable: it cannot be made or read.
  [[nodiscard]] static Result<std::unique_ptr<TaskDirectories>> Open(
      const std::filesystem::path& folder);

  /// Makes a directory that has exactly these files, read-only, in folders that the user
  /// `task_user` may write. Files of another user than this, who is not root either, are hard links
  /// where the file system permits; others are copies, so that no task can change a source. Errors:
  /// kInvalidInput (an input has gone or has changed), kStorageFull, kUnavailable (also if `stop`
  /// is requested). Returns an absolute path.
  [[nodiscard]] Result<std::filesystem::path> Make(std::span<const InputFile> inputs,
                                                   uid_t task_user, const std::stop_token& stop);
  /// A directory that was not removed and is in use no more, which the caller takes over; nothing
  /// if there is none.
  [[nodiscard]] std::optional<std::filesystem::path> TakeLeftover();
  void AddLeftover(std::filesystem::path directory);

 private:
  explicit TaskDirectories(std::filesystem::path folder);

  const std::filesystem::path folder_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::filesystem::path> leftovers_;
};

}  // namespace evenkeel::workloads
