#include "operator/kube/bounded_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace evenkeel::kube {

Result<std::string> ReadBoundedFile(const std::string& file, std::size_t max_bytes) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) {
    return Fail(ErrorCode::kUnavailable,
                file + ": " + (failure ? failure.message() : "must be a regular file"));
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Fail(ErrorCode::kUnavailable, file + ": " + std::strerror(errno));
  std::string content(max_bytes + 1, '\0');
  stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (stream.bad()) return Fail(ErrorCode::kUnavailable, file + ": cannot be read");
  content.resize(static_cast<std::size_t>(stream.gcount()));
  if (content.size() > max_bytes) {
    return Fail(ErrorCode::kUnavailable,
                file + ": more than " + std::to_string(max_bytes) + " bytes");
  }
  return content;
}

}  // namespace evenkeel::kube
