#include "worker/machine.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iomanip>
#include <limits>

#include "core/engine/messages.h"

namespace evenkeel::worker {
namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

/// The number that the file begins with; kUnknown if it begins with none, such as "max".
std::int64_t NumberIn(const std::filesystem::path& file) {
  std::int64_t number = 0;
  std::ifstream stream(file);
  return stream >> number ? number : kUnknown;
}

/// "0::/kubepods/pod1" in /proc/self/cgroup; empty without version 2.
std::string OwnGroup(const std::filesystem::path& root) {
  std::ifstream stream(root / "proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("0::/")) return line.substr(4);
  }
  return {};
}

std::int64_t MachineMemory(const std::filesystem::path& root) {
  std::ifstream stream(root / "proc/meminfo");
  std::string word;
  std::int64_t kibibytes = 0;
  return stream >> word >> kibibytes && word == "MemTotal:" ? kibibytes * 1024 : kUnknown;
}

}  // namespace

std::int64_t MemoryLimit(const std::filesystem::path& root) {
  const std::filesystem::path groups = root / "sys/fs/cgroup";
  std::int64_t limit = std::min(MachineMemory(root), NumberIn(groups / "memory.max"));
  std::filesystem::path group = OwnGroup(root);
  while (!group.empty()) {
    limit = std::min(limit, NumberIn(groups / group / "memory.max"));
    group = group.parent_path();
  }
  return limit;
}

std::string BootId(const std::filesystem::path& root) {
  std::ifstream stream(root / "proc/sys/kernel/random/boot_id");
  std::string id;
  stream >> std::setw(static_cast<int>(engine::kMaxBootIdBytes)) >> id;
  return id;
}

void AllowOpenFiles(std::uint64_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
  limit.rlim_cur = std::min<rlim_t>(count, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

bool KeepOnCore(std::uint32_t thread, std::uint32_t threads) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  if (CPU_COUNT(&allowed) != static_cast<int>(threads) || threads < 2) return false;
  std::uint32_t seen = 0;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || seen++ != thread) continue;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(core, &own);
    return sched_setaffinity(0, sizeof own, &own) == 0;
  }
  return false;
}

}  // namespace evenkeel::worker
