#include "launcher/install.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "launcher/range.h"

namespace evenkeel::launcher {
namespace {

constexpr const char* kSelf = "/proc/self/exe";
constexpr const char* kLauncherProgram = "evenkeel-launcher";
constexpr mode_t kExecutable = 0755;
constexpr mode_t kMayEnter = 0711;

std::string Complaint(const std::string& path) { return path + ": " + std::strerror(errno); }

bool Copy(int from, int to) {
  std::array<char, 64 << 10> bytes{};
  while (true) {
    const ssize_t count = ::read(from, bytes.data(), bytes.size());
    if (count <= 0) return count == 0;
    for (ssize_t done = 0; done < count;) {
      const ssize_t written =
          ::write(to, bytes.data() + done, static_cast<std::size_t>(count - done));
      if (written < 0) return false;
      done += written;
    }
  }
}

/// The name that a new file has until it is complete.
std::string PartialName(const std::string& path) { return path + "." + std::to_string(::getpid()); }

/// Makes `path` a link to the program beside it.
std::string InstallLink(const std::string& path) {
  const std::string partial = PartialName(path);
  ::unlink(partial.c_str());  // of an earlier process with the same number
  if (::symlink(kLauncherProgram, partial.c_str()) == 0 &&
      ::rename(partial.c_str(), path.c_str()) == 0) {
    return {};
  }
  const std::string complaint = Complaint(path);
  ::unlink(partial.c_str());
  return complaint;
}

}  // namespace

std::string Install(const std::string& folder) {
  const int self = ::open(kSelf, O_RDONLY | O_CLOEXEC);
  if (self < 0) return Complaint(kSelf);
  if (::mkdir(folder.c_str(), kExecutable) != 0 && errno != EEXIST) return Complaint(folder);
  const std::string program = folder + "/" + kLauncherProgram;
  const std::string partial = PartialName(program);
  const int copy = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kExecutable);
  const bool copied = copy >= 0 && Copy(self, copy) && ::fchmod(copy, kExecutable) == 0 &&
                      ::close(copy) == 0 && ::rename(partial.c_str(), program.c_str()) == 0;
  const std::string complaint = copied ? std::string() : Complaint(program);
  if (!copied) ::unlink(partial.c_str());
  ::close(self);
  return copied ? InstallLink(folder + "/" + std::string(kRangeProgram)) : complaint;
}

std::string MakeTaskFolder(const std::string& folder) {
  const bool made = ::mkdir(folder.c_str(), kMayEnter) == 0 || errno == EEXIST;
  return made && ::chmod(folder.c_str(), kMayEnter) == 0 ? std::string() : Complaint(folder);
}

}  // namespace evenkeel::launcher
