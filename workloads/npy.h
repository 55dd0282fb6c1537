#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "platform/files.h"

namespace evenkeel::workloads {

enum class NpyType { kInt32, kInt64, kUint64, kFloat32, kFloat64 };

/// The header of a NumPy file (.npy format 1.0, little-endian, C order); the elements follow it.
[[nodiscard]] std::string NpyHeader(NpyType type, const std::vector<std::int64_t>& shape);

/// Writes one array of 64-bit integers as a NumPy file (.npy format 1.0, little-endian, C order)
/// with little memory: elements are given in order. As platform::AtomicFile, it is there complete
/// or not at all. Not thread-safe.
class NpyWriter {
 public:
  /// Errors of all functions: those of platform::AtomicFile.
  [[nodiscard]] static Result<std::unique_ptr<NpyWriter>> Create(
      const std::filesystem::path& path, NpyType type, const std::vector<std::int64_t>& shape);

  [[nodiscard]] Result<void> Append(std::uint64_t element);
  /// Exactly as many elements as the shape says must have been appended.
  [[nodiscard]] Result<void> Commit();

 private:
  NpyWriter(platform::AtomicFile file, std::int64_t element_count);

  platform::AtomicFile file_;
  std::int64_t missing_elements_;
  std::string bytes_;  // of one element; kept for its memory
};

}  // namespace evenkeel::workloads
