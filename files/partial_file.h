#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "files/file_content.h"
#include "platform/file_descriptor.h"

namespace evenkeel::files {

/// A file that is being written, chunk by chunk, in any order. If it is not completed, what was
/// written can be kept for a later attempt; otherwise the destructor removes the file. Has and
/// Write are thread-safe for different places. Blocks on the disk.
class PartialFile {
 public:
  /// Writes to `path`, a path of this process alone. If there is a file at `kept` that is not
  /// larger than `size_bytes`, moves it to `path` and goes on with it; an empty `kept` stands for
  /// none. Null, with errno, if the file cannot be made.
  [[nodiscard]] static std::unique_ptr<PartialFile> Open(const std::filesystem::path& path,
                                                         const std::filesystem::path& kept,
                                                         std::int64_t size_bytes);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  /// Whether an earlier attempt has written this chunk. Reads it, if there was one.
  [[nodiscard]] bool Has(std::size_t place, const Sha256Digest& chunk) const;
  /// Returns 0 or an errno.
  [[nodiscard]] int Write(std::size_t place, const SharedBytes& bytes);

  /// Makes the file read-only and moves it to `name`; its last change is at `modified_nanoseconds`
  /// (since 1970; 0: now). Returns 0 or an errno. The last call.
  [[nodiscard]] int Complete(const std::filesystem::path& name, std::int64_t modified_nanoseconds);
  /// Moves the file to `kept` and returns how many bytes of the disk it takes; none if there is
  /// nothing to keep or it cannot be moved. The last call.
  [[nodiscard]] std::optional<std::int64_t> Keep(const std::filesystem::path& kept);

  /// Bytes of the disk that a file takes, at most its size.
  [[nodiscard]] static std::int64_t BytesOnDisk(const struct stat& status);

 private:
  PartialFile(std::filesystem::path path, platform::FileDescriptor file, std::int64_t size_bytes,
              bool resumed)
      : path_(std::move(path)),
        file_(std::move(file)),
        size_bytes_(size_bytes),
        resumed_(resumed),
        has_bytes_(resumed) {}
  /// Moves the file; 0 or an errno.
  int MoveTo(const std::filesystem::path& name);

  std::filesystem::path path_;  // empty once it was moved
  const platform::FileDescriptor file_;
  const std::int64_t size_bytes_;
  const bool resumed_;
  std::atomic<bool> has_bytes_;
};

}  // namespace evenkeel::files
