#include "http/served_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace evenkeel::http {

std::optional<ServedFile> ServedFile::Open(const std::filesystem::path& folder,
                                           std::string_view name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos) {
    return std::nullopt;
  }
  const int directory = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return std::nullopt;
  // O_NONBLOCK: opening a named pipe must not wait for its writer.
  ServedFile file(::openat(directory, std::string(name).c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  ::close(directory);
  struct stat status {};
  if (file.descriptor_ < 0 || ::fstat(file.descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return file;
}

ServedFile::~ServedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace evenkeel::http
