#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/model/range_set.h"
#include "platform/file_descriptor.h"
#include "workloads/task_files.h"

namespace evenkeel::workloads {

class StoredOutputs;

/// Folders that the output files of a task may be in.
inline constexpr std::size_t kMaxOutputFolders = 10'000;

/// The output files of a job's tasks: INDEX/PATH in one folder. Files are staged in `.staged` of
/// that folder and flushed to the disk; then the files of a task replace those of an earlier run in
/// one step, where the file system can do that (renameat2(2) with RENAME_EXCHANGE). Links are not
/// followed. Several processes may store files in one folder, even those of one task: the last one
/// counts. Blocks on the disk. Thread-safe.
///
/// Errors of Store, Write and Commit. kInvalidInput: the files cannot be outputs of a task; one
/// line that begins with "output". kStorageFull: no space is left. kUnavailable: the disk cannot be
/// written. kConflict: see Write and Commit. All but kUnavailable end the upload.
class OutputFolder {
 public:
  struct Options {
    std::filesystem::path folder;  ///< made when the first files are stored
    /// Maximum size of the files of one upload, all together.
    std::int64_t limit_bytes = std::numeric_limits<std::int64_t>::max();
    /// Unfinished uploads; beyond that, the one without a piece for the longest time is dropped.
    std::size_t max_uploads = 4096;
    /// An upload without a piece for so long is dropped when the next one begins.
    std::chrono::steady_clock::duration idle_limit = std::chrono::minutes(10);
  };

  /// An upload of the files of one run of a task.
  struct UploadKey {
    model::TaskIndex task = 0;
    std::array<char, 16> id{};  ///< random, chosen by the sender
    auto operator<=>(const UploadKey&) const = default;
  };
  /// Bytes of a file of an upload.
  struct Piece {
    std::string path;
    std::int64_t offset = 0;
    std::string_view bytes;
    bool begins = false;  ///< whether it is the first piece of its upload
  };
  struct UploadedFile {
    std::string path;
    std::int64_t size_bytes = 0;
  };
  /// Whether the bytes of the n-th file of an upload are what the sender has announced.
  using HasContent = std::function<bool(std::size_t n, const platform::FileDescriptor& file)>;

  explicit OutputFolder(Options options);
  /// Removes what is staged by this object.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Removes what earlier processes have left in `.staged`. Call it while no files are being
  /// stored.
  [[nodiscard]] Result<void> RemoveStaged() const;
  /// Removes the files of tasks that are not in `completed`. Call it while no files are being
  /// stored.
  [[nodiscard]] Result<void> RemoveOthers(const model::RangeSet& completed) const;

  /// From now on, the files of these tasks stay: a result of each counts already. Store, Write and
  /// Commit for them succeed and change nothing.
  void Keep(model::IndexRange tasks);
  /// The same, for these tasks and no others.
  void KeepOnly(model::RangeSet tasks);

  /// Stores copies of the files of all tasks of an earlier job, which do not change meanwhile.
  /// Errors: also those of StoredOutputs.
  [[nodiscard]] Result<void> CopyFrom(const StoredOutputs& from);

  /// Stores the files of a task by copying them: TaskFiles::Store.
  [[nodiscard]] Result<void> Store(model::TaskIndex task, std::span<const OutputFile> outputs,
                                   const std::stop_token& stop);
  /// Writes a piece of an upload; a repeated piece replaces itself. kConflict: the upload is not
  /// known, and the piece does not begin it; the sender has to send all files again, with another
  /// ID.
  [[nodiscard]] Result<void> Write(const UploadKey& key, const Piece& piece);
  /// Makes the files of an upload those of the task. `files` are all of the upload; if there are
  /// none, the task has no files any more, and nothing need be uploaded. Succeeds again if it is
  /// repeated. kConflict: the upload is not known, or its files are not as announced.
  [[nodiscard]] Result<void> Commit(const UploadKey& key, std::span<const UploadedFile> files,
                                    const HasContent& has_content);

 private:
  class Staging;
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Upload {
    std::shared_ptr<Staging> staging;
    SteadyTime last_piece;
  };

  /// Tasks whose files stay.
  struct Kept {
    std::mutex mutex;  // also held while files take the place of a task's
    model::RangeSet tasks;
  };

  [[nodiscard]] bool IsKept(model::TaskIndex task);
  [[nodiscard]] Result<void> CopyTask(const StoredOutputs& from, model::TaskIndex task);
  /// The upload of a piece; a new one if the piece begins it.
  [[nodiscard]] Result<std::shared_ptr<Staging>> StagingFor(const UploadKey& key, bool begins);
  /// Forgets the upload, which has been committed or cannot be.
  void End(const UploadKey& key, bool committed);

  const Options options_;
  Kept kept_;
  std::mutex mutex_;  // guards what follows, not what is in a Staging
  std::map<UploadKey, Upload> uploads_;
  std::set<UploadKey> committed_;
  std::list<UploadKey> commits_;  // keys of committed_, oldest first
};

}  // namespace evenkeel::workloads
