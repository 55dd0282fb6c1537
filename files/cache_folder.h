#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "files/file_content.h"
#include "platform/file_descriptor.h"

namespace evenkeel::files {

/// Name of the file with this content in the folder of a cache.
[[nodiscard]] std::string CachedName(const FileContent& content);
/// Name under which a part of the file `name` is kept, if it has several chunks.
[[nodiscard]] std::string PartialName(const std::string& name);
/// The name of the whole file, of which `name` may be that of a part.
[[nodiscard]] std::string WholeName(std::string name);

/// A folder with the files of a cache, which several processes may use, and what this process has
/// in there: a folder of its own for unfinished files and links, removed at its end. Each process
/// locks a file, so that others see that it lives; folders cannot be locked on NFS. Thread-safe.
/// Blocks on the disk.
class CacheFolder {
 public:
  /// Makes the folder if it is missing. Removes what ended processes have left, but keeps parts of
  /// files that they were writing. Errors: those of platform::WriteError.
  [[nodiscard]] static Result<std::shared_ptr<const CacheFolder>> Open(
      const std::filesystem::path& folder);
  ~CacheFolder();
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& Path() const { return folder_; }
  [[nodiscard]] std::filesystem::path PathOf(const std::string& name) const {
    return folder_ / name;
  }
  /// A path in the folder of this process.
  [[nodiscard]] std::filesystem::path OwnPathOf(const std::string& name) const {
    return own_ / name;
  }

  /// A file of the cache, or a part of one.
  struct Found {
    std::string name;
    bool is_part = false;
    std::int64_t bytes = 0;  ///< of the disk if it is a part, else its size
    struct timespec used {};
    std::int64_t modified_nanoseconds = 0;
  };
  /// The files and parts in the folder; the one used last is at the end. Removes files that a cache
  /// cannot have.
  [[nodiscard]] std::vector<Found> Files() const;

  /// Removes a file and its list of chunks.
  void Remove(const std::string& name) const;
  /// Writes the list of the chunks of a file beside it, for processes that start later. Errors are
  /// ignored: without the list, a process knows the chunks once it has used the file.
  void WriteChunkList(const FileContent& content) const;
  /// The list of chunks beside a file of this size; none if there is none or it is wrong.
  [[nodiscard]] std::optional<FileContent> ReadChunkList(const std::string& name,
                                                         std::int64_t size_bytes) const;

 private:
  explicit CacheFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> MakeOwn();
  void RemoveEndedProcesses() const;
  void KeepParts(const std::filesystem::path& ended) const;

  const std::filesystem::path folder_;
  std::filesystem::path own_;
  platform::FileDescriptor lock_;
};

}  // namespace evenkeel::files
