#include "workloads/task_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "platform/file_descriptor.h"
#include "platform/files.h"

namespace evenkeel::workloads {
namespace {

using platform::FileDescriptor;

constexpr mode_t kForAll = S_IRWXU | S_IRWXG | S_IRWXO;
constexpr mode_t kExecutable = S_IXUSR | S_IXGRP | S_IXOTH;
constexpr mode_t kReadable = S_IRUSR | S_IRGRP | S_IROTH;
constexpr int kPlace = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

tl::unexpected<Error> InputError(const InputFile& input, const std::string& what) {
  return InvalidInput("input " + ShownPath(input.path) + ": " + what);
}

/// Fills the new directory of a task, which no other user can enter yet.
class Filling {
 public:
  Filling(std::filesystem::path directory, uid_t task_user, const std::stop_token& stop)
      : directory_(std::move(directory)),
        task_user_(task_user),
        folder_mode_(task_user == ::geteuid() ? mode_t{S_IRWXU} : kForAll),
        stop_(stop) {}

  Result<void> Run(std::span<const InputFile> inputs) {
    for (const InputFile& input : inputs) {
      if (stop_.stop_requested()) return Fail(ErrorCode::kUnavailable, "the task was stopped");
      if (auto added = Add(input); !added) return added;
    }
    return ::chmod(directory_.c_str(), folder_mode_) == 0 ? Result<void>() : WriteFailed();
  }

 private:
  Result<void> Add(const InputFile& input) {
    const FileDescriptor source(
        ::open(input.source.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat before {};
    if (!source.IsOpen() || ::fstat(source.Get(), &before) != 0) {
      return InputError(input, errno == ENOENT
                                   ? "there is no such file"
                                   : "cannot be read: " + std::generic_category().message(errno));
    }
    if (!S_ISREG(before.st_mode) || before.st_size != input.size_bytes) {
      return InputError(input, "changed while the job ran");
    }
    auto folder = MakeFolders(input.path);
    if (!folder) return tl::unexpected(folder.error());
    const std::string name = std::filesystem::path(input.path).filename().string();
    // A link to a file of this user would let the task change it.
    const bool cannot_change_it = task_user_ != 0 && task_user_ != before.st_uid;
    if (cannot_change_it &&
        ::linkat(AT_FDCWD, input.source.c_str(), folder->Get(), name.c_str(), 0) == 0) {
      return {};
    }
    return Copy(input, source, before, *folder, name);
  }

  Result<void> Copy(const InputFile& input, const FileDescriptor& source, const struct stat& before,
                    const FileDescriptor& folder, const std::string& name) {
    const FileDescriptor copy(::openat(folder.Get(), name.c_str(),
                                       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!copy.IsOpen()) return WriteFailed();
    if (auto copied = platform::CopyBytes(source, copy, input.size_bytes, stop_); !copied) {
      const bool changed = copied.error().code == ErrorCode::kInvalidInput;
      return changed ? InputError(input, "changed while the job ran") : copied;
    }
    struct stat after {};
    const bool same = ::fstat(source.Get(), &after) == 0 && after.st_size == before.st_size &&
                      after.st_mtim.tv_sec == before.st_mtim.tv_sec &&
                      after.st_mtim.tv_nsec == before.st_mtim.tv_nsec;
    if (!same) return InputError(input, "changed while the job ran");
    const bool executable = (before.st_mode & kExecutable) != 0;
    const mode_t mode = executable ? kReadable | kExecutable : kReadable;
    return ::fchmod(copy.Get(), mode) == 0 ? Result<void>() : WriteFailed();
  }

  /// The folder of the file at this path, made if it is missing.
  Result<FileDescriptor> MakeFolders(const std::filesystem::path& path) {
    FileDescriptor folder(::open(directory_.c_str(), kPlace));
    for (const auto& name : path.parent_path()) {
      const bool made = ::mkdirat(folder.Get(), name.c_str(), S_IRWXU) == 0;
      if (!made && errno != EEXIST) break;
      FileDescriptor inner(::openat(folder.Get(), name.c_str(), kPlace));
      // Without the umask.
      if (made && ::fchmodat(folder.Get(), name.c_str(), folder_mode_, 0) != 0) inner.Reset();
      folder = std::move(inner);
    }
    if (!folder.IsOpen()) return tl::unexpected(platform::WriteError(directory_, errno));
    return folder;
  }

  [[nodiscard]] Result<void> WriteFailed() const {
    return tl::unexpected(platform::WriteError(directory_, errno));
  }

  const std::filesystem::path directory_;
  const uid_t task_user_;
  const mode_t folder_mode_;
  const std::stop_token& stop_;
};

}  // namespace

TaskDirectories::TaskDirectories(std::filesystem::path folder) : folder_(std::move(folder)) {}

Result<std::unique_ptr<TaskDirectories>> TaskDirectories::Open(
    const std::filesystem::path& folder) {
  constexpr auto kOthersMayEnter = std::filesystem::perms::owner_all |
                                   std::filesystem::perms::group_exec |
                                   std::filesystem::perms::others_exec;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(folder, error);
  std::unique_ptr<TaskDirectories> directories(new TaskDirectories(absolute));
  if (!error) std::filesystem::create_directories(absolute, error);
  if (!error) std::filesystem::permissions(absolute, kOthersMayEnter, error);
  for (std::filesystem::directory_iterator entry(absolute, error), end; !error && entry != end;
       entry.increment(error)) {
    directories->leftovers_.push_back(entry->path());
  }
  if (error) {
    return Fail(ErrorCode::kUnavailable,
                "no directories for tasks in " + absolute.string() + ": " + error.message());
  }
  return directories;
}

Result<std::filesystem::path> TaskDirectories::Make(std::span<const InputFile> inputs,
                                                    uid_t task_user, const std::stop_token& stop) {
  std::string name = (folder_ / "XXXXXX").native();
  if (::mkdtemp(name.data()) == nullptr) return tl::unexpected(platform::WriteError(name, errno));
  std::filesystem::path directory = std::move(name);
  if (auto filled = Filling(directory, task_user, stop).Run(inputs); !filled) {
    // No other user has had access to it.
    std::error_code stays;
    std::filesystem::remove_all(directory, stays);
    if (stays) AddLeftover(std::move(directory));
    return tl::unexpected(filled.error());
  }
  return directory;
}

std::optional<std::filesystem::path> TaskDirectories::TakeLeftover() {
  const std::lock_guard lock(mutex_);
  if (leftovers_.empty()) return std::nullopt;
  std::filesystem::path taken = std::move(leftovers_.back());
  leftovers_.pop_back();
  return taken;
}

void TaskDirectories::AddLeftover(std::filesystem::path directory) {
  const std::lock_guard lock(mutex_);
  leftovers_.push_back(std::move(directory));
}

}  // namespace evenkeel::workloads
