#include "workloads/result_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace evenkeel::workloads {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

std::filesystem::path PartialPath(std::filesystem::path path) { return path += ".partial"; }

tl::unexpected<Error> SystemFailure(int error, const std::filesystem::path& path) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return Fail(full ? ErrorCode::kStorageFull : ErrorCode::kUnavailable,
              path.string() + ": cannot be written: " + std::generic_category().message(error));
}

}  // namespace

Result<void> SyncFolderOf(const std::filesystem::path& file_path) {
  const std::filesystem::path folder =
      file_path.has_parent_path() ? file_path.parent_path() : std::filesystem::path(".");
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return SystemFailure(errno, folder);
  const int error = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (error != 0) return SystemFailure(error, folder);
  return {};
}

Result<std::unique_ptr<ResultFile>> ResultFile::Create(const std::filesystem::path& path) {
  const std::filesystem::path partial = PartialPath(path);
  const int file = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return SystemFailure(errno, partial);
  return std::unique_ptr<ResultFile>(new ResultFile(path, file));
}

ResultFile::ResultFile(std::filesystem::path path, int file)
    : path_(std::move(path)), partial_path_(PartialPath(path_)), file_(file) {
  buffer_.reserve(kBufferBytes);
}

ResultFile::~ResultFile() {
  if (file_ >= 0) ::close(file_);
  if (!committed_) ::unlink(partial_path_.c_str());
}

Result<void> ResultFile::Append(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    if (auto flushed = Flush(); !flushed) return flushed;
  }
  buffer_ += bytes;
  return {};
}

Result<void> ResultFile::Commit() {
  if (auto flushed = Flush(); !flushed) return flushed;
  if (::fsync(file_) != 0) return SystemFailure(errno, partial_path_);
  // Some file systems report a full disk only here.
  if (::close(std::exchange(file_, -1)) != 0) return SystemFailure(errno, partial_path_);
  if (::rename(partial_path_.c_str(), path_.c_str()) != 0) return SystemFailure(errno, path_);
  committed_ = true;
  return SyncFolderOf(path_);
}

Result<void> ResultFile::Flush() {
  std::size_t written = 0;
  while (written < buffer_.size()) {
    const ssize_t now = ::write(file_, buffer_.data() + written, buffer_.size() - written);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return SystemFailure(errno, partial_path_);
    written += static_cast<std::size_t>(now);
  }
  buffer_.clear();
  return {};
}

}  // namespace evenkeel::workloads
