#include "launcher/memory_kills.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace evenkeel::launcher {
namespace {

constexpr std::size_t kMostBytes = 16 << 10;

/// The beginning of the open file; empty if it cannot be read.
std::string ReadText(int file) {
  std::array<char, kMostBytes> bytes;
  const ssize_t count = file < 0 ? 0 : ::pread(file, bytes.data(), bytes.size(), 0);
  return {bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

int Open(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

/// Calls `take` with each line of the text, until it returns true.
template <typename Take>
void ForEachLine(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (take(text.substr(0, end))) return;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

/// The number in the line "oom_kill NUMBER"; nothing without such a line.
std::optional<std::int64_t> KillsIn(std::string_view text) {
  static constexpr std::string_view kKey = "oom_kill ";
  std::optional<std::int64_t> kills;
  ForEachLine(text, [&kills](std::string_view line) {
    if (!line.starts_with(kKey)) return false;
    line.remove_prefix(kKey.size());
    std::int64_t number = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), number);
    if (read.ec == std::errc()) kills = number;
    return true;
  });
  return kills;
}

/// Whether the comma-separated list has the controller "memory".
bool HasMemory(std::string_view controllers) {
  constexpr std::string_view kMemory = "memory";
  while (true) {
    const std::size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == kMemory) return true;
    if (comma == std::string_view::npos) return false;
    controllers.remove_prefix(comma + 1);
  }
}

/// The own groups as /proc/self/cgroup lists them: "number:controllers:/group".
struct OwnGroups {
  std::string unified;  ///< of version 2
  std::string memory;   ///< of the controller "memory" of version 1
};

OwnGroups ReadOwnGroups(const std::string& root) {
  OwnGroups own;
  const int file = Open(root + "/proc/self/cgroup");
  const std::string text = ReadText(file);
  if (file >= 0) ::close(file);
  ForEachLine(text, [&own](std::string_view line) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) return false;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    if (controllers.empty()) own.unified = group;
    if (HasMemory(controllers)) own.memory = group;
    return false;
  });
  return own;
}

}  // namespace

MemoryKills::MemoryKills(const std::string& root) {
  const OwnGroups own = ReadOwnGroups(root);
  const std::string groups = root + "/sys/fs/cgroup";
  // A container may see its own group as the root of the hierarchy.
  for (const std::string& path :
       {groups + own.unified + "/memory.events", groups + "/memory.events",
        groups + "/memory" + own.memory + "/memory.oom_control",
        groups + "/memory/memory.oom_control"}) {
    file_ = Open(path);
    if (KillsIn(ReadText(file_))) return;
    if (file_ >= 0) ::close(std::exchange(file_, -1));
  }
}

MemoryKills::~MemoryKills() {
  if (file_ >= 0) ::close(file_);
}

std::int64_t MemoryKills::Count() const { return KillsIn(ReadText(file_)).value_or(0); }

}  // namespace evenkeel::launcher
