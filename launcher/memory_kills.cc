#include "launcher/memory_kills.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::launcher {
namespace {

constexpr std::size_t kMostBytes = 16 << 10;

/// The beginning of the file; empty if it cannot be read.
std::string ReadText(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string text(kMostBytes, '\0');
  const ssize_t count = ::read(file, text.data(), text.size());
  ::close(file);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

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
  const std::string text = ReadText(root + "/proc/self/cgroup");
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

std::int64_t CountMemoryKills(const char* root) {
  const std::string place = root;
  const OwnGroups own = ReadOwnGroups(place);
  const std::string groups = place + "/sys/fs/cgroup";
  // A container may see its own group as the root of the hierarchy.
  for (const std::string& file :
       {groups + own.unified + "/memory.events", groups + "/memory.events",
        groups + "/memory" + own.memory + "/memory.oom_control",
        groups + "/memory/memory.oom_control"}) {
    if (const auto kills = KillsIn(ReadText(file))) return *kills;
  }
  return 0;
}

}  // namespace evenkeel::launcher
