#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/base/error.h"

namespace evenkeel::report {

/// A file that appears whole or not at all: written beside its place as `path`.tmp, flushed to the
/// disk and renamed by Commit(). Without Commit() the temporary file is removed again.
/// Movable, used by one thread.
class AtomicFile {
 public:
  /// kStorageFull or kUnavailable if the temporary file cannot be made.
  [[nodiscard]] static Result<AtomicFile> Create(std::filesystem::path path);
  AtomicFile(AtomicFile&&) = default;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  /// Appends. kStorageFull when there is no room.
  Result<void> Write(std::string_view bytes);
  /// Puts the file into its place. Nothing may be written afterwards.
  Result<void> Commit();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  AtomicFile(std::filesystem::path path, std::FILE* file);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

/// The whole of it in one go.
Result<void> WriteWholeFile(const std::filesystem::path& path, std::string_view bytes);

}  // namespace evenkeel::report
