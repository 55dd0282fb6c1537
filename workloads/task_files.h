#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/data_transfer.h"
#include "core/model/index_range.h"

namespace evenkeel::workloads {

inline constexpr std::size_t kMaxFilePathBytes = 4'095;  ///< of a path in the directory of a task
inline constexpr std::size_t kMaxFileNameBytes = 255;    ///< between two slashes
inline constexpr std::size_t kMaxInputFiles = 10'000;    ///< of a task
inline constexpr std::size_t kMaxOutputFiles = 1'000;    ///< of a task
/// In the folder of results: where the output files of tasks are, as INDEX/PATH.
inline constexpr const char* kOutputsFolder = "files";

/// Checks the path of a file of a task. Returns the mistake in words that follow the path, such as
/// "must not be empty"; empty: there is none.
[[nodiscard]] std::string PathMistake(std::string_view path);

/// The path of a file in a message: at most 300 bytes of printable ASCII.
[[nodiscard]] std::string ShownPath(std::string_view path);

/// A path that a job declares for the files of one task: relative, without empty, "." and ".."
/// components, with "/" between them.
struct DeclaredPath {
  std::string path;
  /// Whether `path` is a glob, in which "*", "?" and "[...]" match within one component, but no dot
  /// in front of a name, and "\\" makes the next character stand for itself (fnmatch(3) with
  /// FNM_PERIOD, for each component). Else each of its characters stands for itself.
  bool glob = false;

  friend bool operator==(const DeclaredPath&, const DeclaredPath&) = default;
};

/// A file on this node that a task may read: complete and checked.
struct InputFile {
  std::string path;  ///< relative to the task directory: as declared, or as a glob matched
  std::filesystem::path source;  ///< where its bytes are on this node; not to be changed
  std::int64_t size_bytes = 0;

  friend bool operator==(const InputFile&, const InputFile&) = default;
};

/// A regular file as it was found.
struct FileVersion {
  std::string path;  ///< relative to the folder of the inputs or outputs
  std::int64_t size_bytes = 0;
  std::int64_t modified_nanoseconds = 0;  ///< since 1970
  std::uint64_t inode = 0;

  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};
/// The version of an open file; nothing if it is no regular file.
[[nodiscard]] std::optional<FileVersion> VersionOf(std::string path, int descriptor);

/// Error text, after the path of an output file that has another version than before.
inline constexpr const char* kOutputChanged = "changed after the command had ended";

/// A file that a task has written.
struct OutputFile {
  std::string path;             ///< relative to the task directory
  int descriptor = -1;          ///< regular file, open for reading at any offset; not owned
  std::int64_t size_bytes = 0;  ///< when it was opened
};

/// The files of the tasks of one worker. Thread-safe.
///
/// Errors of Acquire and Store. kInvalidInput: the task fails for this reason, for example because
/// an input is missing or changed while the job runs. kStorageFull: there is no space for the
/// files. kUnavailable: `stop` was requested, or no task can have files on this node any more. An
/// origin that cannot be reached is not an error; it is waited for.
class TaskFiles {
 public:
  virtual ~TaskFiles() = default;

  /// Makes the input files of a task available on this node. They stay until Release, which follows
  /// each success. Blocks until they are there or `stop` is requested. `input`: TaskCall::input.
  /// Returned in the order of their paths; no path is there twice.
  [[nodiscard]] virtual Result<std::vector<InputFile>> Acquire(model::TaskIndex task,
                                                               std::string_view input,
                                                               const std::stop_token& stop) = 0;
  /// The task no longer needs its input files.
  virtual void Release(model::TaskIndex task) = 0;
  /// Makes the output files of a task durable, all or none; replaces those of an earlier run of the
  /// task. `outputs`, maybe empty, have paths that differ. Reads the files by their descriptors and
  /// fails with kInvalidInput if their sizes have changed. Blocks until they are durable or `stop`
  /// is requested.
  [[nodiscard]] virtual Result<void> Store(model::TaskIndex task,
                                           std::span<const OutputFile> outputs,
                                           const std::stop_token& stop) = 0;
  /// Returns what this worker, for all of its tasks, has fetched over the network since the last
  /// call.
  [[nodiscard]] virtual model::DataTransfer TakeTransfer() { return {}; }
};

}  // namespace evenkeel::workloads
