#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

#include "core/base/error.h"
#include "files/file_content.h"

namespace evenkeel::files {

/// The contents of the files below one folder, each read at its first request. A file must not
/// change while this lives; one that does is found out. Blocks on the disk. Thread-safe; a file is
/// read by one thread at a time.
///
/// Memory: about 60 bytes for each requested file, and the digests of the last ones.
///
/// Errors (kInvalidInput) are one line that begins with "input PATH: ": the file is missing, is not
/// a regular one, leads out of the folder, cannot be read, or has changed.
class OriginIndex {
 public:
  static constexpr std::size_t kMaxFiles = 1'000'000;
  struct Options {
    std::filesystem::path folder;
    std::size_t max_files = kMaxFiles;  ///< different files, in all; further ones are errors
    std::size_t max_remembered_bytes = std::size_t{64} << 20;  ///< of paths and digests
  };
  explicit OriginIndex(Options options);
  ~OriginIndex();
  OriginIndex(const OriginIndex&) = delete;
  OriginIndex& operator=(const OriginIndex&) = delete;

  /// `path` is relative to the folder. Links are followed while they stay below the folder.
  [[nodiscard]] Result<FileContent> ContentOf(const std::string& path);
  /// The bytes of one chunk, which must have this digest. Does not depend on what is remembered.
  [[nodiscard]] Result<SharedBytes> Read(const std::string& path, std::size_t place,
                                         const Sha256Digest& digest);

 private:
  struct Remembered {
    std::string path;
    FileContent content;
  };
  struct Versions;  // of all requested files

  /// Checks that the file is the one that was seen first, with the mutex held.
  Result<void> CheckVersion(const std::string& path, std::uint64_t version);
  void Remember(const std::string& path, const FileContent& content);

  const Options options_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable read_;
  std::set<std::string> reading_;
  std::unique_ptr<Versions> versions_;
  std::list<Remembered> remembered_;  // the one used last is at the end
  std::unordered_map<std::string, std::list<Remembered>::iterator> by_path_;
  std::size_t remembered_bytes_ = 0;
};

}  // namespace evenkeel::files
