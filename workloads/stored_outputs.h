#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/range_set.h"
#include "platform/file_descriptor.h"

namespace evenkeel::workloads {

/// Number of task indexes that one list of tasks is about.
inline constexpr model::TaskIndex kListedTasks = 1'000'000;

/// Which of kListedTasks tasks have output files.
struct StoredTasks {
  model::RangeSet tasks;
  /// The first later task that has output files, if there is one.
  std::optional<model::TaskIndex> next;
};

/// A stored output file.
struct StoredFile {
  std::string path;  ///< relative to the folder of its task; any bytes that PathMistake allows
  std::int64_t size_bytes = 0;

  friend bool operator==(const StoredFile&, const StoredFile&) = default;
};

/// Reads the output files of tasks where TaskFiles::Store has put them: files/INDEX/PATH below the
/// folder of the job's results. Everything below that folder may be hostile: no link in it is
/// followed, and only regular files are opened. Each call reads the disk, and may run while tasks
/// are stored. Thread-safe. Errors (kUnavailable): "FOLDER: what is wrong".
class StoredOutputs {
 public:
  explicit StoredOutputs(std::filesystem::path results) : results_(std::move(results)) {}

  /// The tasks from `first`, which is at least 0, to `first` + kListedTasks - 1. Takes 125 kB.
  [[nodiscard]] Result<StoredTasks> TasksFrom(model::TaskIndex first) const;
  /// The files of a task, by path, all of one run of the task; nothing if it has none. More than
  /// kMaxOutputFiles are an error.
  [[nodiscard]] Result<std::optional<std::vector<StoredFile>>> FilesOf(model::TaskIndex task) const;
  /// Opens a file for reading, at its start; not open if there is no such regular file. `path` may
  /// be any text.
  [[nodiscard]] platform::FileDescriptor Open(model::TaskIndex task, std::string_view path) const;

  /// The task that a folder of this name belongs to, if it is the name of one: decimal digits
  /// without superfluous zeros.
  [[nodiscard]] static std::optional<model::TaskIndex> TaskOf(std::string_view name);

 private:
  const std::filesystem::path results_;
};

}  // namespace evenkeel::workloads
