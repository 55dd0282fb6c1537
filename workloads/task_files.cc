#include "workloads/task_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "core/base/printable.h"
#include "platform/files.h"

namespace evenkeel::workloads {

std::string PathMistake(std::string_view path) {
  if (path.empty()) return "must not be empty";
  if (path.front() == '/') return "must be relative, without / in front";
  if (path.size() > kMaxFilePathBytes) {
    return "must have at most " + std::to_string(kMaxFilePathBytes) + " bytes";
  }
  if (path.find('\n') != path.npos || path.find('\0') != path.npos) {
    return "must not contain a line break or a NUL";
  }
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (name.empty() || name == "." || name == "..") {
      return "must not contain empty components, . or ..";
    }
    if (name.size() > kMaxFileNameBytes) {
      return "must not contain a name of more than " + std::to_string(kMaxFileNameBytes) + " bytes";
    }
    begin = end + 1;
  }
  return {};
}

std::optional<FileVersion> VersionOf(std::string path, int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileVersion{std::move(path), status.st_size, platform::ModifiedNanoseconds(status),
                     status.st_ino};
}

std::string ShownPath(std::string_view path) {
  constexpr std::size_t kShownBytes = 300;
  return PrintableAscii(path, kShownBytes);
}

}  // namespace evenkeel::workloads
