#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/base/error.h"

namespace evenkeel::report {

/// A file that appears complete or not at all: written as `path`.tmp, flushed to the disk and
/// renamed by Commit(). Without Commit() the destructor removes the temporary file. Movable, not
/// thread-safe.
class AtomicFile {
 public:
  /// kStorageFull or kUnavailable if the temporary file cannot be created.
  [[nodiscard]] static Result<AtomicFile> Create(std::filesystem::path path);
  AtomicFile(AtomicFile&&) = default;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  /// Appends. kStorageFull if the disk is full.
  Result<void> Write(std::string_view bytes);
  /// Flushes and renames the file. Nothing may be written afterwards.
  Result<void> Commit();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  AtomicFile(std::filesystem::path path, std::FILE* file);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

/// Writes a whole file atomically.
Result<void> WriteWholeFile(const std::filesystem::path& path, std::string_view bytes);

}  // namespace evenkeel::report
