#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::workloads {

enum class NpyType { kInt64, kUint64 };

/// Writes one array of 64-bit integers as a NumPy file (.npy format 1.0, little-endian, C order)
/// with little memory: elements are given in order. The file appears under its name complete and
/// durable, or not at all: until Commit it is called NAME.partial. Not thread-safe.
class NpyWriter {
 public:
  /// Errors of all functions: kStorageFull when there is no room, else kUnavailable.
  [[nodiscard]] static Result<std::unique_ptr<NpyWriter>> Create(
      const std::filesystem::path& path, NpyType type, const std::vector<std::int64_t>& shape);
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;
  /// Removes what was written if it was not committed.
  ~NpyWriter();

  [[nodiscard]] Result<void> Append(std::uint64_t element);
  /// Exactly as many elements as the shape says must have been appended.
  [[nodiscard]] Result<void> Commit();

 private:
  NpyWriter(std::filesystem::path path, int file, std::int64_t element_count);
  Result<void> Flush();

  std::filesystem::path path_;
  std::filesystem::path partial_path_;
  int file_;
  std::int64_t missing_elements_;
  std::string buffer_;
  bool committed_ = false;
};

}  // namespace evenkeel::workloads
