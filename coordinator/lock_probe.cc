#include "coordinator/lock_probe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "coordinator/sqlite_database.h"
#include "platform/file_descriptor.h"

namespace evenkeel::coordinator {
namespace {

/// File systems of other machines, as statfs(2) names them. Their locks may hold on this client
/// only.
struct NetworkFileSystem {
  std::uint64_t magic;
  const char* name;
};
constexpr std::uint64_t kNfs = 0x6969;
constexpr std::array<NetworkFileSystem, 6> kNetworkFileSystems{{{0x01021997, "9p"},
                                                                {0x517B, "SMB"},
                                                                {0xFF534D42, "CIFS"},
                                                                {0xFE534D42, "SMB2"},
                                                                {0x5346414F, "AFS"},
                                                                {0x73757245, "Coda"}}};

/// A lock that belongs to the open file, so that two of one process exclude each other. 0 or errno.
int Lock(const platform::FileDescriptor& file) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(file.Get(), F_OFD_SETLK, &whole) == 0 ? 0 : errno;
}

Error CannotWrite(const std::filesystem::path& folder, int error) {
  if (error == ENOSPC || error == EDQUOT) return NoSpaceLeft(folder.string());
  return {ErrorCode::kUnavailable, folder.string() + " cannot be written: " + std::strerror(error)};
}

Error CannotLock(const std::filesystem::path& folder, const std::string& because) {
  return {ErrorCode::kUnavailable, folder.string() + " cannot hold a journal: " + because +
                                       "; use a folder on a local disk"};
}

/// The options of the mount that holds `device`: all that follows the device number on its line of
/// /proc/self/mountinfo (proc(5)). Empty if it is not found.
std::string MountOptions(dev_t device) {
  const std::string number =
      " " + std::to_string(major(device)) + ":" + std::to_string(minor(device)) + " ";
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t at = line.find(number);
    if (at != std::string::npos) return line.substr(at + number.size());
  }
  return {};
}

/// `file` must be opened as `first` already.
Result<void> Probe(const std::filesystem::path& folder, const platform::FileDescriptor& first,
                   const std::string& file) {
  const platform::FileDescriptor second(open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (second.Get() < 0) return tl::unexpected(CannotWrite(folder, errno));
  const int granted = Lock(first);
  if (granted != 0) {
    return tl::unexpected(CannotLock(
        folder, std::string("its file system cannot lock (") + std::strerror(granted) + ")"));
  }
  if (Lock(second) == 0) {
    return tl::unexpected(CannotLock(folder, "its file system gives the same lock twice"));
  }
  return {};
}

}  // namespace

std::string WhyLocksCannotBeTrusted(std::uint64_t magic, std::string_view options) {
  for (const NetworkFileSystem& network : kNetworkFileSystems) {
    if (magic == network.magic) {
      return std::string("it is on a network file system (") + network.name + ")";
    }
  }
  if (magic != kNfs) return {};
  for (const char* local : {"nolock", "local_lock=all", "local_lock=posix"}) {
    if (options.find(local) != std::string_view::npos) {
      return std::string("it is on NFS mounted with ") + local;
    }
  }
  return {};
}

Result<void> CheckThatFolderLocks(const std::filesystem::path& folder) {
  struct statfs system {};
  struct stat status {};
  if (statfs(folder.c_str(), &system) != 0 || stat(folder.c_str(), &status) != 0) {
    return tl::unexpected(CannotWrite(folder, errno));
  }
  // f_type is signed and 32 bits wide on some architectures.
  const auto magic = static_cast<std::uint32_t>(system.f_type);
  const std::string reason = WhyLocksCannotBeTrusted(magic, MountOptions(status.st_dev));
  if (!reason.empty()) return tl::unexpected(CannotLock(folder, reason));

  // Never the journal itself: closing it would drop the locks that this process holds on it.
  std::string file = (folder / ".lock-probe-XXXXXX").string();
  const platform::FileDescriptor first(mkstemp(file.data()));
  if (first.Get() < 0) return tl::unexpected(CannotWrite(folder, errno));
  Result<void> locks = Probe(folder, first, file);
  unlink(file.c_str());
  return locks;
}

}  // namespace evenkeel::coordinator
