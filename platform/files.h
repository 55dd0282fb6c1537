#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "platform/file_descriptor.h"

namespace evenkeel::platform {

/// Reads a regular file of at most `max_bytes`; never waits. Errors (kInvalidInput): "PATH: what is
/// wrong".
[[nodiscard]] Result<std::string> ReadRegularFile(const std::filesystem::path& path,
                                                  std::size_t max_bytes);

/// Reads a file that the user named, which may be a pipe; at most 256 MiB. Errors as above.
[[nodiscard]] Result<std::string> ReadInputFile(const std::filesystem::path& path);

/// Reads an open file from its position to its end, at most `max_bytes`. Errors (kInvalidInput) say
/// what is wrong, without a name.
[[nodiscard]] Result<std::string> ReadToEnd(const FileDescriptor& file, std::size_t max_bytes);

/// "PATH: cannot be written: REASON" for an errno: kStorageFull when there is no room, else
/// kUnavailable.
[[nodiscard]] Error WriteError(const std::filesystem::path& path, int error_number);

/// The time of the last change of a file, in nanoseconds since 1970.
[[nodiscard]] std::int64_t ModifiedNanoseconds(const struct stat& status);
/// Sets it, and leaves the time of the last access. Returns 0 or an errno.
[[nodiscard]] int SetModified(const FileDescriptor& file, std::int64_t nanoseconds);

/// Flushes a file or a folder to the disk: for a folder, the names in it. Returns 0 or an errno.
/// 0 also for folders on file systems that cannot flush them.
[[nodiscard]] int SyncPath(const std::filesystem::path& path);

/// Copies the first `size_bytes` of a regular file into another one that is empty, without bringing
/// them into this process's memory where the system can do so. Errors, without names: kInvalidInput
/// (the source has become shorter), kStorageFull, else kUnavailable, also if `stop` is requested.
[[nodiscard]] Result<void> CopyBytes(const FileDescriptor& from, const FileDescriptor& to,
                                     std::int64_t size_bytes, const std::stop_token& stop);

/// A file that appears under its name complete and durable, or not at all. Until Commit it is
/// called .NAME.partial, in the same folder; two writers of the same file must not run at the same
/// time. Without Commit the destructor removes it. Buffers up to 256 KiB. Movable, not thread-safe.
/// Errors of all functions: those of WriteError.
class AtomicFile {
 public:
  [[nodiscard]] static Result<AtomicFile> Create(std::filesystem::path path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  [[nodiscard]] Result<void> Append(std::string_view bytes);
  /// Writes the buffer, flushes the file, renames it and flushes its folder. The last call.
  [[nodiscard]] Result<void> Commit();

  /// For reading and writing at any place; writes go to the file at once, unlike those of Append.
  [[nodiscard]] const FileDescriptor& Descriptor() const { return file_; }

 private:
  AtomicFile(std::filesystem::path path, std::filesystem::path partial_path, FileDescriptor file);
  Result<void> Flush();

  std::filesystem::path path_;
  std::filesystem::path partial_path_;  // empty once committed
  FileDescriptor file_;
  std::string buffer_;
};

/// Writes a whole file as AtomicFile does.
[[nodiscard]] Result<void> WriteFileAtomically(const std::filesystem::path& path,
                                               std::string_view bytes);

}  // namespace evenkeel::platform
