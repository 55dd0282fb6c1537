#include "workloads/folder_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "platform/files.h"

namespace evenkeel::workloads {
namespace {

// A named pipe is opened without a writer, and refused then.
constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

/// An open descriptor, or -1 and errno. Links may be followed while they stay inside.
int OpenBeneath(const std::filesystem::path& folder, const std::filesystem::path& name, int flags) {
  const platform::FileDescriptor root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.Get() < 0) return -1;
  open_how how{};
  how.flags = static_cast<__u64>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const long opened = ::syscall(SYS_openat2, root.Get(), name.c_str(), &how, sizeof how);
  // Container runtimes that do not know the call forbid it; EAGAIN: a concurrent rename.
  const bool unknown = opened < 0 && (errno == ENOSYS || errno == EPERM || errno == EAGAIN);
  return unknown ? OpenBeneathByName(folder, name, flags) : static_cast<int>(opened);
}

std::string WhyNotOpened(int error) {
  if (error == ENOENT || error == ENOTDIR) return "there is no such file";
  if (error == EXDEV) return "leads out of the folder of the job's inputs";
  return "cannot be read: " + std::generic_category().message(error);
}

}  // namespace

int OpenBeneathByName(const std::filesystem::path& folder, const std::filesystem::path& name,
                      int flags) {
  const int file = ::open((folder / name).c_str(), flags);
  if (file < 0) return -1;
  // The check is of the opened file, because its name may refer to another file by now.
  std::error_code error;
  const auto root = std::filesystem::canonical(folder, error);
  const auto found = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), error);
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), found.begin(), found.end());
  if (!error && !root.empty() && end == root.end() && rest != found.end()) return file;
  ::close(file);
  errno = EXDEV;
  return -1;
}

namespace {

/// An ordinary file, as openat(2) opened it.
struct OpenFile {
  platform::FileDescriptor descriptor;
  std::int64_t bytes = 0;
};

Result<OpenFile> Open(const std::filesystem::path& folder, const std::filesystem::path& name,
                      bool confined, int flags) {
  OpenFile file{platform::FileDescriptor(confined ? OpenBeneath(folder, name, flags)
                                                  : ::open((folder / name).c_str(), flags)),
                0};
  struct stat status {};
  if (file.descriptor.Get() < 0 || ::fstat(file.descriptor.Get(), &status) != 0) {
    return InvalidInput(WhyNotOpened(errno));
  }
  if (!S_ISREG(status.st_mode)) return InvalidInput("is no ordinary file");
  file.bytes = status.st_size;
  return file;
}

}  // namespace

Result<platform::FileDescriptor> OpenFolderFile(const std::filesystem::path& folder,
                                                const std::filesystem::path& name, bool confined) {
  auto file = Open(folder, name, confined, kToRead);
  if (!file) return tl::unexpected(file.error());
  return std::move(file->descriptor);
}

Result<std::int64_t> FolderFileSize(const std::filesystem::path& folder,
                                    const std::filesystem::path& name, bool confined) {
  const auto file = Open(folder, name, confined, O_PATH | O_CLOEXEC);
  if (!file) return tl::unexpected(file.error());
  return file->bytes;
}

Result<std::string> ReadFolderFile(const std::filesystem::path& folder,
                                   const std::filesystem::path& name, bool confined,
                                   std::size_t max_bytes) {
  const auto file = OpenFolderFile(folder, name, confined);
  if (!file) return tl::unexpected(file.error());
  return platform::ReadToEnd(*file, max_bytes);
}

}  // namespace evenkeel::workloads
