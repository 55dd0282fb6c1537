#include "platform/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <system_error>
#include <utility>

namespace evenkeel::platform {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

constexpr std::size_t kWriteBufferBytes = std::size_t{1} << 18;
constexpr std::size_t kMaxInputBytes = std::size_t{256} << 20;
constexpr std::size_t kReadPieceBytes = std::size_t{1} << 16;

std::string Reason(int error_number) { return std::generic_category().message(error_number); }

std::string CannotRead(int error_number) {
  if (error_number == ENOENT || error_number == ENOTDIR) return "there is no such file";
  return "cannot be read: " + Reason(error_number);
}

std::string TooLarge(std::size_t max_bytes) {
  return "must have at most " + std::to_string(max_bytes) + " bytes";
}

/// Which kinds of files may be read; folders never.
enum class Accepted { kRegularFiles, kAllButFolders };

/// Empty if the file is accepted.
std::string WhyRefused(const struct stat& status, Accepted accepted) {
  if (S_ISDIR(status.st_mode)) return "is a folder, must be a file";
  const bool other = accepted == Accepted::kRegularFiles && !S_ISREG(status.st_mode);
  return other ? "must be a regular file" : "";
}

Result<std::string> ReadFile(const std::filesystem::path& path, std::size_t max_bytes,
                             Accepted accepted) {
  const auto refuse = [&path](const std::string& reason) {
    return InvalidInput(path.string() + ": " + reason);
  };
  // A pipe without a writer is opened at once, and refused then.
  const int nonblocking = accepted == Accepted::kRegularFiles ? O_NONBLOCK : 0;
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | nonblocking));
  struct stat status {};
  if (!file.IsOpen() || ::fstat(file.Get(), &status) != 0) return refuse(CannotRead(errno));
  if (const std::string reason = WhyRefused(status, accepted); !reason.empty()) {
    return refuse(reason);
  }
  auto text = ReadToEnd(file, max_bytes);
  if (!text) return refuse(text.error().message);
  return text;
}

bool IsFull(int error_number) {
  // EFBIG: the process may not write larger files (ulimit).
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

/// 0 or an errno.
int WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

std::filesystem::path PartialPathOf(const std::filesystem::path& path) {
  return path.parent_path() / ("." + path.filename().string() + ".partial");
}

std::filesystem::path FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

Result<std::string> ReadToEnd(const FileDescriptor& file, std::size_t max_bytes) {
  struct stat status {};
  if (::fstat(file.Get(), &status) != 0) return InvalidInput(CannotRead(errno));
  std::string text;
  std::size_t size = 0;
  if (S_ISREG(status.st_mode)) {
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    if (bytes > max_bytes) {
      return InvalidInput(TooLarge(max_bytes) + ", has " + std::to_string(bytes));
    }
    // One byte more, to see the end without another piece.
    text.resize(static_cast<std::size_t>(bytes) + 1);
  }
  for (;;) {
    if (size == text.size()) text.resize(size + kReadPieceBytes);
    const ssize_t count = ::read(file.Get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return InvalidInput(CannotRead(errno));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > max_bytes) return InvalidInput(TooLarge(max_bytes));
  }
  text.resize(size);
  return text;
}

Result<std::string> ReadRegularFile(const std::filesystem::path& path, std::size_t max_bytes) {
  return ReadFile(path, max_bytes, Accepted::kRegularFiles);
}

Result<std::string> ReadInputFile(const std::filesystem::path& path) {
  return ReadFile(path, kMaxInputBytes, Accepted::kAllButFolders);
}

Error WriteError(const std::filesystem::path& path, int error_number) {
  return {IsFull(error_number) ? ErrorCode::kStorageFull : ErrorCode::kUnavailable,
          path.string() + ": cannot be written: " + Reason(error_number)};
}

std::int64_t ModifiedNanoseconds(const struct stat& status) {
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * kNanosecondsPerSecond +
         status.st_mtim.tv_nsec;
}

int SetModified(const FileDescriptor& file, std::int64_t nanoseconds) {
  struct timespec times[] = {{0, UTIME_OMIT}, {}};
  times[1].tv_sec = static_cast<std::time_t>(nanoseconds / kNanosecondsPerSecond);
  times[1].tv_nsec = static_cast<long>(nanoseconds % kNanosecondsPerSecond);
  return ::futimens(file.Get(), times) == 0 ? 0 : errno;
}

int SyncPath(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.IsOpen()) return errno;
  if (::fsync(file.Get()) == 0) return 0;
  const int error_number = errno;
  struct stat status {};
  const bool folder = ::fstat(file.Get(), &status) == 0 && S_ISDIR(status.st_mode);
  return folder && error_number == EINVAL ? 0 : error_number;
}

Result<AtomicFile> AtomicFile::Create(std::filesystem::path path) {
  std::filesystem::path partial_path = PartialPathOf(path);
  FileDescriptor file(::open(partial_path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.IsOpen()) return tl::unexpected(WriteError(path, errno));
  return AtomicFile(std::move(path), std::move(partial_path), std::move(file));
}

namespace {

/// Copies what is at `offset` to the end of the other file. The number of bytes; 0 at the end; -1
/// and errno. `buffer` is made once the system has not copied by itself.
ssize_t CopySome(const FileDescriptor& from, const FileDescriptor& to, off_t offset,
                 std::size_t bytes, std::string& buffer) {
  if (buffer.empty()) {
    off_t position = offset;
    const ssize_t count = ::copy_file_range(from.Get(), &position, to.Get(), nullptr, bytes, 0);
    // Some file systems refuse, and some report an end where there are more bytes.
    if (count > 0 || (count < 0 && IsFull(errno))) return count;
    buffer.resize(kWriteBufferBytes);
  }
  const ssize_t count = ::pread(from.Get(), buffer.data(), std::min(bytes, buffer.size()), offset);
  if (count <= 0) return count;
  const int error = WriteAll(to.Get(), {buffer.data(), static_cast<std::size_t>(count)});
  if (error == 0) return count;
  errno = error;
  return -1;
}

}  // namespace

Result<void> CopyBytes(const FileDescriptor& from, const FileDescriptor& to,
                       std::int64_t size_bytes, const std::stop_token& stop) {
  constexpr std::int64_t kMostAtOnce = std::int64_t{64} << 20;
  std::string buffer;
  for (std::int64_t done = 0; done < size_bytes;) {
    if (stop.stop_requested()) return Fail(ErrorCode::kUnavailable, "the copying was stopped");
    const auto bytes = static_cast<std::size_t>(std::min(size_bytes - done, kMostAtOnce));
    const ssize_t count = CopySome(from, to, done, bytes, buffer);
    if (count == 0) return InvalidInput("the file is shorter by now");
    if (count > 0) {
      done += count;
    } else if (errno != EINTR) {
      return Fail(IsFull(errno) ? ErrorCode::kStorageFull : ErrorCode::kUnavailable,
                  "cannot be copied: " + Reason(errno));
    }
  }
  return {};
}

AtomicFile::AtomicFile(std::filesystem::path path, std::filesystem::path partial_path,
                       FileDescriptor file)
    : path_(std::move(path)), partial_path_(std::move(partial_path)), file_(std::move(file)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      partial_path_(std::exchange(other.partial_path_, {})),
      file_(std::move(other.file_)),
      buffer_(std::move(other.buffer_)) {}

AtomicFile::~AtomicFile() {
  if (!partial_path_.empty()) ::unlink(partial_path_.c_str());
}

Result<void> AtomicFile::Append(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kWriteBufferBytes) {
    if (auto flushed = Flush(); !flushed) return flushed;
  }
  if (bytes.size() <= kWriteBufferBytes) {
    buffer_ += bytes;
  } else if (const int error_number = WriteAll(file_.Get(), bytes)) {
    return tl::unexpected(WriteError(path_, error_number));
  }
  return {};
}

Result<void> AtomicFile::Commit() {
  if (auto flushed = Flush(); !flushed) return flushed;
  // Without this a power cut after the rename could leave an empty file in place of the old one.
  // Some file systems report a full disk only at close.
  if (::fsync(file_.Get()) != 0 || ::close(file_.Release()) != 0 ||
      ::rename(partial_path_.c_str(), path_.c_str()) != 0) {
    return tl::unexpected(WriteError(path_, errno));
  }
  partial_path_.clear();
  if (const int error_number = SyncPath(FolderOf(path_))) {
    return tl::unexpected(WriteError(path_, error_number));
  }
  return {};
}

Result<void> AtomicFile::Flush() {
  if (const int error_number = WriteAll(file_.Get(), buffer_)) {
    return tl::unexpected(WriteError(path_, error_number));
  }
  buffer_.clear();
  return {};
}

Result<void> WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes) {
  auto file = AtomicFile::Create(path);
  if (!file) return tl::unexpected(file.error());
  if (auto written = file->Append(bytes); !written) return written;
  return file->Commit();
}

}  // namespace evenkeel::platform
