#include "workloads/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/files.h"
#include "workloads/stored_outputs.h"

namespace evenkeel::workloads {
namespace {

using platform::FileDescriptor;
using platform::WriteError;

constexpr const char* kStaged = ".staged";  // in the folder of outputs: not complete, or replaced
constexpr std::size_t kMaxRememberedCommits = 10'000;

tl::unexpected<Error> OutputError(std::string_view path, const std::string& what) {
  return InvalidInput("output " + ShownPath(path) + " " + what);
}

tl::unexpected<Error> UnknownUpload() {
  return Fail(ErrorCode::kConflict, "the upload is not known; all files have to be sent again");
}

/// 0 or an errno.
int WriteAt(const FileDescriptor& file, std::string_view bytes, std::int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file.Get(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += count;
  }
  return 0;
}

}  // namespace

/// The files of one run of a task on their way into the folder of outputs. Not thread-safe: the
/// caller holds `in_use`.
class OutputFolder::Staging {
 public:
  Staging(const Options& options, model::TaskIndex task, Kept& kept)
      : limit_bytes_(options.limit_bytes),
        index_(task),
        kept_(kept),
        outputs_(options.folder),
        task_(outputs_ / std::to_string(task)),
        place_(outputs_ / kStaged / (std::to_string(task) + "-XXXXXX")) {}
  ~Staging() {
    std::error_code ignored;
    if (made_) std::filesystem::remove_all(place_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Makes an empty folder to put files in.
  Result<void> Make() {
    std::error_code error;
    std::filesystem::create_directories(place_.parent_path(), error);
    if (error) return tl::unexpected(WriteError(place_.parent_path(), error.value()));
    std::string name = place_.native();
    if (::mkdtemp(name.data()) == nullptr) return tl::unexpected(WriteError(place_, errno));
    place_ = name;
    made_ = true;
    staged_ = place_ / "files";  // with the usual permissions, unlike the folder around it
    if (::mkdir(staged_.c_str(), 0777) != 0) return tl::unexpected(WriteError(staged_, errno));
    return {};
  }

  Result<void> Add(const OutputFile& file, const std::stop_token& stop) {
    const auto copy = Create(file.path);
    if (!copy) return tl::unexpected(copy.error());
    const FileDescriptor source(::fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0));  // `file` keeps its
    const auto before = VersionOf(file.path, file.descriptor);
    const auto copied = platform::CopyBytes(source, *copy, file.size_bytes, stop);
    const auto after = VersionOf(file.path, file.descriptor);
    const bool same = before && after && *before == *after && after->size_bytes == file.size_bytes;
    const bool shorter = !copied && copied.error().code == ErrorCode::kInvalidInput;
    if (shorter || (copied && !same)) return OutputError(file.path, kOutputChanged);
    if (copied) return {};
    return Fail(copied.error().code, (task_ / file.path).string() + ": " + copied.error().message);
  }

  Result<void> Write(const Piece& piece) {
    const auto file = Create(piece.path);
    if (!file) return tl::unexpected(file.error());
    struct stat status {};
    if (::fstat(file->Get(), &status) != 0) return StoreError(piece.path, errno);
    const auto bytes = static_cast<std::int64_t>(piece.bytes.size());
    const std::int64_t left = limit_bytes_ - bytes_;
    if (piece.offset < 0 || bytes > limit_bytes_ || piece.offset > limit_bytes_ - bytes ||
        piece.offset + bytes - status.st_size > left) {
      return OutputError(
          piece.path, "makes more than " + std::to_string(limit_bytes_) + " bytes of output files");
    }
    bytes_ += std::max<std::int64_t>(0, piece.offset + bytes - status.st_size);
    const int failed = WriteAt(*file, piece.bytes, piece.offset);
    return failed == 0 ? Result<void>() : StoreError(piece.path, failed);
  }

  /// Checks the files of an upload, and publishes them.
  Result<void> Commit(std::span<const UploadedFile> files, const HasContent& has_content) {
    if (published_) return {};
    std::vector<std::string> paths;
    for (const UploadedFile& file : files) paths.push_back(file.path);
    std::sort(paths.begin(), paths.end());
    if (const auto twice = std::adjacent_find(paths.begin(), paths.end()); twice != paths.end()) {
      return OutputError(*twice, "is there twice");
    }
    if (renamed_) return Publish(paths);
    for (std::size_t n = 0; n < files.size(); ++n) {
      const auto file = Open(files[n].path, O_RDONLY);
      if (!file && file.error().code != ErrorCode::kConflict) return tl::unexpected(file.error());
      if (!file || SizeOf(*file) != files[n].size_bytes || !has_content(n, *file)) {
        return Fail(ErrorCode::kConflict,
                    "output " + ShownPath(files[n].path) + " has not arrived as it was sent");
      }
    }
    if (files.size() != files_made_) {
      return Fail(ErrorCode::kConflict, "the upload has files that are not listed");
    }
    return Publish(paths);
  }

  /// Flushes the files, and puts them in the place of the task's in one step.
  Result<void> Publish(const std::vector<std::string>& paths) {
    if (!renamed_) {
      if (auto flushed = Flush(paths); !flushed) return flushed;
      if (auto exchanged = Exchange(); !exchanged) return exchanged;
      renamed_ = true;
    }
    auto synced = Sync();
    published_ = synced.has_value();
    return synced;
  }

  /// The task has no files.
  Result<void> Remove() {
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(task_, error))) return {};
    if (auto made = Make(); !made) return made;
    {
      const std::lock_guard lock(kept_.mutex);
      if (kept_.tasks.Contains(index_)) return {};
      if (::rename(task_.c_str(), staged_.c_str()) != 0 && errno != ENOENT) {
        return tl::unexpected(WriteError(task_, errno));
      }
    }
    return Sync();
  }

  std::mutex in_use;

 private:
  /// A file to write to, new or of an earlier piece.
  Result<FileDescriptor> Create(const std::string& path) {
    if (const std::string mistake = PathMistake(path); !mistake.empty()) {
      return OutputError(path, mistake);
    }
    const FileDescriptor folder = OpenFolderOf(path, true);
    const int error = errno;
    if (folders_made_ > kMaxOutputFolders) {
      return InvalidInput("outputs: a task must not have files in more than " +
                          std::to_string(kMaxOutputFolders) + " folders");
    }
    if (!folder.IsOpen()) return StoreError(path, error);
    const std::string name = path.substr(path.rfind('/') + 1);
    constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    if (files_made_ < kMaxOutputFiles) {
      const int made = ::openat(folder.Get(), name.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
      if (made >= 0) {
        ++files_made_;
        return FileDescriptor(made);
      }
      if (errno != EEXIST) return StoreError(path, errno);
    }
    FileDescriptor file(::openat(folder.Get(), name.c_str(), kFlags));
    if (!file.IsOpen() && errno == ENOENT) {
      return InvalidInput("outputs: a task must not have more than " +
                          std::to_string(kMaxOutputFiles) + " files");
    }
    if (!file.IsOpen()) return StoreError(path, errno);
    if (SizeOf(file) < 0) return OutputError(path, "cannot be stored: it is no plain file");
    return file;
  }

  /// A staged file. kConflict: there is none of this name.
  Result<FileDescriptor> Open(const std::string& path, int flags) {
    if (const std::string mistake = PathMistake(path); !mistake.empty()) {
      return OutputError(path, mistake);
    }
    const FileDescriptor folder = OpenFolderOf(path, false);
    const std::string name = path.substr(path.rfind('/') + 1);
    FileDescriptor file;
    if (folder.IsOpen()) {
      file.Reset(::openat(folder.Get(), name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    }
    if (!file.IsOpen() && errno == ENOENT) return Fail(ErrorCode::kConflict, "is missing");
    if (!file.IsOpen()) return StoreError(path, errno);
    return file;
  }

  /// The folder that a staged file is in. If it is not open, errno says why.
  FileDescriptor OpenFolderOf(const std::string& path, bool make) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    FileDescriptor folder(::open(staged_.c_str(), kFlags));
    for (std::size_t begin = 0; folder.IsOpen();) {
      const std::size_t end = path.find('/', begin);
      if (end == path.npos) break;
      const std::string name = path.substr(begin, end - begin);
      if (make && folders_made_ <= kMaxOutputFolders &&
          ::mkdirat(folder.Get(), name.c_str(), 0777) == 0) {
        ++folders_made_;
      }
      const int inner = ::openat(folder.Get(), name.c_str(), kFlags);
      const int error = errno;
      folder.Reset(inner);
      errno = error;  // closing may change it
      begin = end + 1;
    }
    return folder;
  }

  /// The size of a file that has no other name; -1 for anything else.
  static std::int64_t SizeOf(const FileDescriptor& file) {
    struct stat status {};
    const bool plain =
        ::fstat(file.Get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1;
    return plain ? status.st_size : -1;
  }

  [[nodiscard]] tl::unexpected<Error> StoreError(const std::string& path, int error) const {
    switch (error) {
      case EEXIST:
      case EISDIR:
      case ELOOP:
      case ENAMETOOLONG:
      case ENOTDIR:
      case ENXIO:
        return OutputError(path, "cannot be stored: " + std::generic_category().message(error));
      default:
        return tl::unexpected(WriteError(task_ / ShownPath(path), error));
    }
  }

  /// Flushes the files and all folders that they are in.
  Result<void> Flush(const std::vector<std::string>& paths) {
    std::set<std::string> folders{""};  // with a slash at their end
    for (const std::string& path : paths) {
      const auto file = Open(path, O_RDONLY);
      if (!file) return tl::unexpected(file.error());
      if (::fsync(file->Get()) != 0) return StoreError(path, errno);
      for (std::size_t slash = path.find('/'); slash != path.npos;
           slash = path.find('/', slash + 1)) {
        folders.insert(path.substr(0, slash + 1));
      }
    }
    for (const std::string& path : folders) {
      const FileDescriptor folder = OpenFolderOf(path, false);
      // EINVAL: a file system that cannot flush folders.
      if (!folder.IsOpen() || (::fsync(folder.Get()) != 0 && errno != EINVAL)) {
        return StoreError(path, errno);
      }
    }
    return {};
  }

  Result<void> Exchange() {
    const std::lock_guard lock(kept_.mutex);
    if (kept_.tasks.Contains(index_)) return {};
    if (::renameat2(AT_FDCWD, staged_.c_str(), AT_FDCWD, task_.c_str(), RENAME_NOREPLACE) == 0 ||
        ::renameat2(AT_FDCWD, staged_.c_str(), AT_FDCWD, task_.c_str(), RENAME_EXCHANGE) == 0) {
      return {};
    }
    // The file system cannot exchange two folders: two steps, with nothing in between.
    const std::filesystem::path old = place_ / "old";
    if (::rename(task_.c_str(), old.c_str()) != 0 && errno != ENOENT) {
      return tl::unexpected(WriteError(task_, errno));
    }
    if (::rename(staged_.c_str(), task_.c_str()) != 0) {
      return tl::unexpected(WriteError(task_, errno));
    }
    return {};
  }

  [[nodiscard]] Result<void> Sync() const {
    const int failed = platform::SyncPath(outputs_);
    return failed == 0 ? Result<void>() : tl::unexpected(WriteError(outputs_, failed));
  }

  const std::int64_t limit_bytes_;
  const model::TaskIndex index_;
  Kept& kept_;
  const std::filesystem::path outputs_;
  const std::filesystem::path task_;
  std::filesystem::path place_;  // a template for mkdtemp(3) until it is made
  bool made_ = false;
  std::filesystem::path staged_;  // in it: the files of the task
  std::size_t files_made_ = 0;
  std::size_t folders_made_ = 0;
  std::int64_t bytes_ = 0;  // of all files, holes included
  bool renamed_ = false;
  bool published_ = false;
};

OutputFolder::OutputFolder(Options options) : options_(std::move(options)) {}

OutputFolder::~OutputFolder() = default;

Result<void> OutputFolder::RemoveStaged() const {
  std::error_code error;
  const std::filesystem::path staged = options_.folder / kStaged;
  std::filesystem::remove_all(staged, error);
  return error ? tl::unexpected(WriteError(staged, error.value())) : Result<void>();
}

Result<void> OutputFolder::RemoveOthers(const model::RangeSet& completed) const {
  std::vector<std::filesystem::path> others;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(options_.folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const auto task = StoredOutputs::TaskOf(entry->path().filename().native());
    if (task && !completed.Contains(*task)) others.push_back(entry->path());
  }
  for (const auto& folder : others) std::filesystem::remove_all(folder, error);
  return error ? tl::unexpected(WriteError(options_.folder, error.value())) : Result<void>();
}

Result<void> OutputFolder::CopyTask(const StoredOutputs& from, model::TaskIndex task) {
  const auto stored = from.FilesOf(task);
  if (!stored) return tl::unexpected(stored.error());
  if (!*stored) return {};
  std::vector<FileDescriptor> descriptors;
  std::vector<OutputFile> files;
  for (const StoredFile& file : **stored) {
    descriptors.push_back(from.Open(task, file.path));
    files.push_back({file.path, descriptors.back().Get(), file.size_bytes});
  }
  return Store(task, files, {});
}

Result<void> OutputFolder::CopyFrom(const StoredOutputs& from) {
  for (std::optional<model::TaskIndex> first = 0; first;) {
    const auto stored = from.TasksFrom(*first);
    if (!stored) return tl::unexpected(stored.error());
    for (const model::IndexRange range : stored->tasks.Ranges()) {
      for (model::TaskIndex task = range.begin; task < range.end; ++task) {
        if (auto copied = CopyTask(from, task); !copied) return copied;
      }
    }
    first = stored->next;
  }
  return {};
}

Result<void> OutputFolder::Store(model::TaskIndex task, std::span<const OutputFile> outputs,
                                 const std::stop_token& stop) {
  Staging staging(options_, task, kept_);
  if (outputs.empty()) return staging.Remove();
  if (auto made = staging.Make(); !made) return made;
  std::vector<std::string> paths;
  for (const OutputFile& file : outputs) {
    if (auto added = staging.Add(file, stop); !added) return added;
    paths.push_back(file.path);
  }
  return staging.Publish(paths);
}

Result<std::shared_ptr<OutputFolder::Staging>> OutputFolder::StagingFor(const UploadKey& key,
                                                                        bool begins) {
  std::vector<std::shared_ptr<Staging>> dropped;  // removed after the lock is released
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (const auto found = uploads_.find(key); found != uploads_.end()) {
    found->second.last_piece = now;
    return found->second.staging;
  }
  if (!begins) return UnknownUpload();
  const auto drop = [&](std::map<UploadKey, Upload>::iterator upload) {
    dropped.push_back(std::move(upload->second.staging));
    return uploads_.erase(upload);
  };
  for (auto upload = uploads_.begin(); upload != uploads_.end();) {
    const bool idle = now - upload->second.last_piece > options_.idle_limit;
    upload = idle ? drop(upload) : std::next(upload);
  }
  const auto earlier = [](const auto& a, const auto& b) {
    return a.second.last_piece < b.second.last_piece;
  };
  if (!uploads_.empty() && uploads_.size() >= options_.max_uploads) {
    drop(std::min_element(uploads_.begin(), uploads_.end(), earlier));
  }
  auto staging = std::make_shared<Staging>(options_, key.task, kept_);
  if (auto made = staging->Make(); !made) return tl::unexpected(made.error());
  uploads_.emplace(key, Upload{staging, now});
  return staging;
}

bool OutputFolder::IsKept(model::TaskIndex task) {
  const std::lock_guard lock(kept_.mutex);
  return kept_.tasks.Contains(task);
}

void OutputFolder::Keep(model::IndexRange tasks) {
  const std::lock_guard lock(kept_.mutex);
  kept_.tasks.Insert(tasks);
}

void OutputFolder::KeepOnly(model::RangeSet tasks) {
  const std::lock_guard lock(kept_.mutex);
  kept_.tasks = std::move(tasks);
}

Result<void> OutputFolder::Write(const UploadKey& key, const Piece& piece) {
  if (key.task < 0) return InvalidInput("outputs: there is no such task");
  if (IsKept(key.task)) return {};
  const auto staging = StagingFor(key, piece.begins);
  if (!staging) return tl::unexpected(staging.error());
  Result<void> written;
  {
    const std::lock_guard lock((*staging)->in_use);
    written = (*staging)->Write(piece);
  }
  if (!written && written.error().code != ErrorCode::kUnavailable) End(key, false);
  return written;
}

Result<void> OutputFolder::Commit(const UploadKey& key, std::span<const UploadedFile> files,
                                  const HasContent& has_content) {
  if (key.task < 0) return InvalidInput("outputs: there is no such task");
  if (IsKept(key.task)) {
    End(key, false);
    return {};
  }
  if (files.empty()) return Staging(options_, key.task, kept_).Remove();
  {
    const std::lock_guard lock(mutex_);
    if (committed_.contains(key)) return {};
  }
  const auto staging = StagingFor(key, false);
  if (!staging) return tl::unexpected(staging.error());
  Result<void> committed;
  {
    const std::lock_guard lock((*staging)->in_use);
    committed = (*staging)->Commit(files, has_content);
  }
  const bool again = !committed && committed.error().code == ErrorCode::kUnavailable;
  if (!again) End(key, committed.has_value());
  return committed;
}

void OutputFolder::End(const UploadKey& key, bool committed) {
  Upload ended;  // removed after the lock is released
  const std::lock_guard lock(mutex_);
  if (const auto found = uploads_.find(key); found != uploads_.end()) {
    ended = std::move(found->second);
    uploads_.erase(found);
  }
  if (!committed || !committed_.insert(key).second) return;
  commits_.push_back(key);
  if (commits_.size() <= kMaxRememberedCommits) return;
  committed_.erase(commits_.front());
  commits_.pop_front();
}

}  // namespace evenkeel::workloads
