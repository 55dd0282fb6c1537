#include "files/partial_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "platform/files.h"

namespace evenkeel::files {
namespace {

using platform::FileDescriptor;

constexpr std::int64_t kDiskBlockBytes = 512;  // unit of st_blocks

/// Moves the file at `kept` to `path` and opens it. Not open if there is none, or if it is larger
/// than `size_bytes` or has other names, under which it could be in use.
FileDescriptor TakeKept(const std::filesystem::path& path, const std::filesystem::path& kept,
                        std::int64_t size_bytes) {
  if (kept.empty() || ::rename(kept.c_str(), path.c_str()) != 0) return {};
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  const bool usable = file.IsOpen() && ::fstat(file.Get(), &status) == 0 &&
                      S_ISREG(status.st_mode) && status.st_size <= size_bytes &&
                      status.st_nlink == 1;
  if (usable) return file;
  ::unlink(path.c_str());
  return {};
}

}  // namespace

std::unique_ptr<PartialFile> PartialFile::Open(const std::filesystem::path& path,
                                               const std::filesystem::path& kept,
                                               std::int64_t size_bytes) {
  FileDescriptor file = TakeKept(path, kept, size_bytes);
  const bool resumed = file.IsOpen();
  if (!resumed) {
    constexpr int kNew = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
    file.Reset(::open(path.c_str(), kNew, 0644));
    if (!file.IsOpen()) return nullptr;
  }
  return std::unique_ptr<PartialFile>(new PartialFile(path, std::move(file), size_bytes, resumed));
}

PartialFile::~PartialFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

bool PartialFile::Has(std::size_t place, const Sha256Digest& chunk) const {
  if (!resumed_) return false;
  const auto found = ReadChunk(file_, size_bytes_, place);
  return found && found->Digest() == chunk;
}

int PartialFile::Write(std::size_t place, const SharedBytes& bytes) {
  has_bytes_ = true;
  return WriteChunk(file_, place, bytes);
}

int PartialFile::Complete(const std::filesystem::path& name, std::int64_t modified_nanoseconds) {
  const int failed =
      modified_nanoseconds > 0 ? platform::SetModified(file_, modified_nanoseconds) : 0;
  if (failed != 0) return failed;
  if (::fchmod(file_.Get(), 0444) != 0) return errno;
  return MoveTo(name);
}

std::optional<std::int64_t> PartialFile::Keep(const std::filesystem::path& kept) {
  struct stat status {};
  if (!has_bytes_ || ::fstat(file_.Get(), &status) != 0 || MoveTo(kept) != 0) return std::nullopt;
  return BytesOnDisk(status);
}

std::int64_t PartialFile::BytesOnDisk(const struct stat& status) {
  return std::min<std::int64_t>(status.st_size,
                                static_cast<std::int64_t>(status.st_blocks) * kDiskBlockBytes);
}

int PartialFile::MoveTo(const std::filesystem::path& name) {
  if (::rename(path_.c_str(), name.c_str()) != 0) return errno;
  path_.clear();
  return 0;
}

}  // namespace evenkeel::files
