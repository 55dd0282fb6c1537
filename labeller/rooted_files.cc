#include "labeller/rooted_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <system_error>

#include "platform/file_descriptor.h"

namespace evenkeel::labeller {
namespace {

constexpr int kMaxLinks = 40;  // as Linux
constexpr std::size_t kMaxNames = 10'000;

/// The parts of a path, put before those that are still ahead.
void PutAhead(const std::filesystem::path& path, std::deque<std::string>& ahead) {
  std::vector<std::string> parts;
  for (const auto& part : path) {
    if (part != "/") parts.push_back(part.string());
  }
  ahead.insert(ahead.begin(), parts.begin(), parts.end());
}

}  // namespace

std::filesystem::path RootedFiles::Below(const std::string& resolved) const {
  return root_.string() + resolved;
}

std::optional<std::string> RootedFiles::Resolve(const std::string& path) const {
  std::deque<std::string> ahead;
  PutAhead(path, ahead);
  std::filesystem::path here = "/";
  int links = 0;
  while (!ahead.empty()) {
    const std::string part = ahead.front();
    ahead.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      here = here.parent_path();
      continue;
    }
    std::error_code no_link;
    const auto target = std::filesystem::read_symlink(Below((here / part).string()), no_link);
    if (no_link) {
      here /= part;
      continue;
    }
    if (++links > kMaxLinks) return std::nullopt;
    if (target.is_absolute()) here = "/";
    PutAhead(target, ahead);
  }
  return here.string();
}

std::optional<std::string> RootedFiles::Read(const std::string& path, std::size_t max_bytes) const {
  const auto resolved = Resolve(path);
  if (!resolved) return std::nullopt;
  // A pipe or a device in the place of a file must not block, nor be read.
  const platform::FileDescriptor file(
      open(Below(*resolved).c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  struct stat state {};
  if (file.Get() < 0 || fstat(file.Get(), &state) != 0 || !S_ISREG(state.st_mode)) {
    return std::nullopt;
  }
  std::string text;
  std::array<char, 4096> buffer;
  while (text.size() < max_bytes) {
    const std::size_t wanted = std::min(buffer.size(), max_bytes - text.size());
    const ssize_t got = read(file.Get(), buffer.data(), wanted);
    if (got == 0) return text;
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return std::nullopt;
    }
  }
  return text;
}

std::optional<std::string> RootedFiles::Device(const std::string& path) const {
  const auto resolved = Resolve(path);
  struct stat state {};
  if (!resolved || lstat(Below(*resolved).c_str(), &state) != 0) return std::nullopt;
  return std::to_string(major(state.st_dev)) + ":" + std::to_string(minor(state.st_dev));
}

std::vector<std::string> RootedFiles::List(const std::string& path) const {
  const auto resolved = Resolve(path);
  std::vector<std::string> names;
  if (!resolved) return names;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(Below(*resolved), error);
       !error && entry != std::filesystem::directory_iterator() && names.size() < kMaxNames;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace evenkeel::labeller
