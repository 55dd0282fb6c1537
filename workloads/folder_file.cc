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
constexpr int kHow = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

/// An open descriptor, or -1 and errno. Links may be followed while they stay inside.
int OpenBeneath(const std::filesystem::path& folder, const std::filesystem::path& name) {
  const platform::FileDescriptor root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.Get() < 0) return -1;
  open_how how{};
  how.flags = kHow;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const long opened = ::syscall(SYS_openat2, root.Get(), name.c_str(), &how, sizeof how);
  // Container runtimes that do not know the call forbid it; EAGAIN: a concurrent rename.
  const bool unknown = opened < 0 && (errno == ENOSYS || errno == EPERM || errno == EAGAIN);
  return unknown ? OpenBeneathByName(folder, name) : static_cast<int>(opened);
}

std::string WhyNotOpened(int error) {
  if (error == ENOENT || error == ENOTDIR) return "there is no such file";
  if (error == EXDEV) return "leads out of the folder of the job's inputs";
  return "cannot be read: " + std::generic_category().message(error);
}

}  // namespace

int OpenBeneathByName(const std::filesystem::path& folder, const std::filesystem::path& name) {
  const int file = ::open((folder / name).c_str(), kHow);
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

Result<platform::FileDescriptor> OpenFolderFile(const std::filesystem::path& folder,
                                                const std::filesystem::path& name, bool confined) {
  platform::FileDescriptor file(confined ? OpenBeneath(folder, name)
                                         : ::open((folder / name).c_str(), kHow));
  struct stat status {};
  if (file.Get() < 0 || ::fstat(file.Get(), &status) != 0) {
    return InvalidInput(WhyNotOpened(errno));
  }
  if (!S_ISREG(status.st_mode)) return InvalidInput("is no ordinary file");
  return file;
}

Result<std::string> ReadFolderFile(const std::filesystem::path& folder,
                                   const std::filesystem::path& name, bool confined,
                                   std::size_t max_bytes) {
  const auto file = OpenFolderFile(folder, name, confined);
  if (!file) return tl::unexpected(file.error());
  return platform::ReadToEnd(*file, max_bytes);
}

}  // namespace evenkeel::workloads
