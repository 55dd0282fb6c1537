#include "workloads/stored_outputs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <system_error>
#include <utility>

#include "launcher/task_directory.h"
#include "workloads/task_files.h"

namespace evenkeel::workloads {
namespace {

using platform::FileDescriptor;

/// Times that a folder is read which is replaced meanwhile.
constexpr int kMaxReads = 3;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using FolderStream = std::unique_ptr<DIR, CloseFolder>;

tl::unexpected<Error> ReadError(const std::filesystem::path& folder, const std::string& what) {
  return Fail(ErrorCode::kUnavailable, folder.string() + ": " + what);
}

tl::unexpected<Error> ReadError(const std::filesystem::path& folder, int error_number) {
  return ReadError(folder, "cannot be read: " + std::generic_category().message(error_number));
}

/// Whether an errno means that a folder is missing. A link is not a folder.
bool IsMissing(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR || error_number == ELOOP;
}

/// A folder as a place for lookups, or not open and errno. `name` is one component.
FileDescriptor Enter(const FileDescriptor& parent, const char* name) {
  return FileDescriptor(
      ::openat(parent.Get(), name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// The folder of all output files, as Enter.
FileDescriptor EnterOutputs(const std::filesystem::path& results) {
  const FileDescriptor root(::open(results.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return root.IsOpen() ? Enter(root, kOutputsFolder) : FileDescriptor();
}

FolderStream ReadFolder(const FileDescriptor& place) {
  FileDescriptor readable(::openat(place.Get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  FolderStream entries(readable.IsOpen() ? ::fdopendir(readable.Get()) : nullptr);
  if (entries) static_cast<void>(readable.Release());  // closed with the stream
  return entries;
}

bool IsDots(std::string_view name) { return name == "." || name == ".."; }

/// The next entry of a folder; null at the end, and with an errno if it cannot be read.
const dirent* NextEntry(DIR* folder) {
  errno = 0;
  return ::readdir(folder);
}

bool IsFolder(DIR* folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status {};
  return ::fstatat(::dirfd(folder), entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode);
}

/// Lists what is below the folder of a task. Has few descriptors open, whatever the depth.
class Listing {
 public:
  explicit Listing(const FileDescriptor& task) : task_(task) {}

  /// 0 or an errno; E2BIG: there are more files than a task may have.
  int Run() {
    for (std::size_t n = 0; n < folders_.size(); ++n) {
      const std::string prefix = folders_[n];
      if (const int error = Read(prefix); error != 0) return error;
    }
    std::sort(files_.begin(), files_.end(),
              [](const StoredFile& a, const StoredFile& b) { return a.path < b.path; });
    return 0;
  }
  [[nodiscard]] std::vector<StoredFile> Take() { return std::move(files_); }

 private:
  /// Reads the folder whose files have paths with this prefix, which is empty or ends with "/".
  int Read(const std::string& prefix) {
    FileDescriptor place = Enter(task_, ".");
    for (std::size_t begin = 0; begin < prefix.size() && place.IsOpen();) {
      const std::size_t end = prefix.find('/', begin);
      place = Enter(place, prefix.substr(begin, end - begin).c_str());
      begin = end + 1;
    }
    const FolderStream entries = place.IsOpen() ? ReadFolder(place) : nullptr;
    if (!entries) return errno;
    while (const dirent* entry = NextEntry(entries.get())) {
      if (IsDots(entry->d_name)) continue;
      struct stat status {};
      if (::fstatat(place.Get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
      std::string path = prefix + entry->d_name;
      if (!PathMistake(path).empty()) continue;
      if (S_ISDIR(status.st_mode)) {
        folders_.push_back(std::move(path) + "/");
      } else if (S_ISREG(status.st_mode)) {
        files_.push_back({std::move(path), status.st_size});
      }
      if (files_.size() > kMaxOutputFiles || folders_.size() > kMaxFolders) return E2BIG;
    }
    return errno;
  }

  /// Far more than the files of a task have, unless their paths are made to have many folders.
  static constexpr std::size_t kMaxFolders = 100 * kMaxOutputFiles;

  const FileDescriptor& task_;
  std::vector<std::string> folders_{""};
  std::vector<StoredFile> files_;
};

bool IsStill(const FileDescriptor& outputs, const char* name, const FileDescriptor& folder) {
  struct stat there {};
  struct stat here {};
  return ::fstatat(outputs.Get(), name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(folder.Get(), &here) == 0 && there.st_ino == here.st_ino &&
         there.st_dev == here.st_dev;
}

}  // namespace

std::optional<model::TaskIndex> StoredOutputs::TaskOf(std::string_view name) {
  model::TaskIndex task = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), task);
  if (error != std::errc() || task < 0 || std::to_string(task) != name) return std::nullopt;
  return task;
}

Result<StoredTasks> StoredOutputs::TasksFrom(model::TaskIndex first) const {
  StoredTasks stored;
  const FileDescriptor outputs = EnterOutputs(results_);
  const FolderStream entries = outputs.IsOpen() ? ReadFolder(outputs) : nullptr;
  if (!entries) {
    if (IsMissing(errno)) return stored;
    return ReadError(results_ / kOutputsFolder, errno);
  }
  // A folder has its entries in any order; a set of ranges would need far more memory meanwhile.
  std::vector<bool> found(static_cast<std::size_t>(kListedTasks));
  while (const dirent* entry = NextEntry(entries.get())) {
    const auto task = TaskOf(entry->d_name);
    if (!task || *task < first || !IsFolder(entries.get(), *entry)) continue;
    if (*task - first < kListedTasks) {
      found[static_cast<std::size_t>(*task - first)] = true;
    } else {
      stored.next = std::min(*task, stored.next.value_or(*task));
    }
  }
  if (errno != 0) return ReadError(results_ / kOutputsFolder, errno);
  for (auto begin = std::find(found.begin(), found.end(), true); begin != found.end();) {
    const auto end = std::find(begin, found.end(), false);
    stored.tasks.Insert({first + (begin - found.begin()), first + (end - found.begin())});
    begin = std::find(end, found.end(), true);
  }
  return stored;
}

Result<std::optional<std::vector<StoredFile>>> StoredOutputs::FilesOf(model::TaskIndex task) const {
  const std::string name = std::to_string(task);
  const std::filesystem::path path = results_ / kOutputsFolder / name;
  for (int reads = 0; reads < kMaxReads; ++reads) {
    const FileDescriptor outputs = EnterOutputs(results_);
    const FileDescriptor folder =
        outputs.IsOpen() ? Enter(outputs, name.c_str()) : FileDescriptor();
    if (!folder.IsOpen()) {
      if (IsMissing(errno)) return std::nullopt;
      return ReadError(path, errno);
    }
    Listing listing(folder);
    const int error = listing.Run();
    // Else another run of the task has replaced its files, and these are being removed.
    if (!IsStill(outputs, name.c_str(), folder)) continue;
    if (error == 0) return listing.Take();
    if (error == E2BIG) {
      return ReadError(path, "has more than " + std::to_string(kMaxOutputFiles) + " files");
    }
    return ReadError(path, error);
  }
  return ReadError(path, "is being replaced");
}

FileDescriptor StoredOutputs::Open(model::TaskIndex task, std::string_view path) const {
  if (!PathMistake(path).empty()) return {};
  const launcher::LookedUpFile file = launcher::OpenRegularFile(
      results_.native(),
      std::string(kOutputsFolder) + "/" + std::to_string(task) + "/" + std::string(path));
  return FileDescriptor(file.descriptor);
}

}  // namespace evenkeel::workloads
