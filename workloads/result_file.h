#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace evenkeel::workloads {

/// Makes durable that the file has its name. Errors: those of ResultFile.
[[nodiscard]] Result<void> SyncFolderOf(const std::filesystem::path& file_path);

/// A result file, written in order with little memory. It appears under its name complete and
/// durable, or not at all: until Commit it is called NAME.partial. Not thread-safe.
class ResultFile {
 public:
  /// Errors of all functions: kStorageFull when there is no room, else kUnavailable.
  [[nodiscard]] static Result<std::unique_ptr<ResultFile>> Create(
      const std::filesystem::path& path);
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;
  /// Removes what was written if it was not committed.
  ~ResultFile();

  /// Appends the bytes.
  [[nodiscard]] Result<void> Append(std::string_view bytes);
  /// Nothing may be appended afterwards.
  [[nodiscard]] Result<void> Commit();

 private:
  ResultFile(std::filesystem::path path, int file);
  Result<void> Flush();

  std::filesystem::path path_;
  std::filesystem::path partial_path_;
  int file_;
  std::string buffer_;
  bool committed_ = false;
};

}  // namespace evenkeel::workloads
