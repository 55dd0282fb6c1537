#include "launcher/strays.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace evenkeel::launcher {
namespace {

constexpr int kMostRounds = 50;
constexpr long kRoundNanoseconds = 100'000'000;

/// Parent of a process, 0 if that cannot be known: the second field behind the name, which stands
/// in brackets and may have anything in it (proc(5)).
pid_t ParentOf(const char* process) {
  const std::string path = std::string("/proc/") + process + "/stat";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 512> text{};
  const ssize_t size = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  const char* const bracket = size > 0 ? std::strrchr(text.data(), ')') : nullptr;
  if (bracket == nullptr || std::strlen(bracket) < 5) return 0;
  return static_cast<pid_t>(std::strtol(bracket + 4, nullptr, 10));
}

void KillChildren() {
  const pid_t self = ::getpid();
  if (self == 1) {
    ::kill(-1, SIGKILL);
    return;
  }
  DIR* const processes = ::opendir("/proc");
  if (processes == nullptr) return;
  while (const dirent* entry = ::readdir(processes)) {
    const auto process = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (process > 0 && ParentOf(entry->d_name) == self) ::kill(process, SIGKILL);
  }
  ::closedir(processes);
}

/// False if there is no child left.
bool CollectDead() {
  pid_t collected = 0;
  do {
    collected = ::waitpid(-1, nullptr, WNOHANG);
  } while (collected > 0);
  return collected == 0;
}

}  // namespace

void KillStrays() {
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  for (int round = 0; round < kMostRounds && CollectDead(); ++round) {
    KillChildren();  // their own children become ours, for the next round
    const timespec a_while{0, kRoundNanoseconds};
    ::sigtimedwait(&child, nullptr, &a_while);
  }
}

}  // namespace evenkeel::launcher
