#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/base/error.h"
#include "workloads/matmul/division.h"

namespace evenkeel::workloads::matmul {

/// Elements of a rectangle of a matrix in memory.
struct MatrixView {
  const char* first = nullptr;  ///< aligned for the element type
  std::int64_t row_stride = 0;  ///< elements from the start of a row to the start of the next one
};

/// A matrix that can be read in rectangles. Immutable and thread-safe.
class Matrix {
 public:
  virtual ~Matrix() = default;
  [[nodiscard]] virtual std::int64_t Rows() const = 0;
  [[nodiscard]] virtual std::int64_t Columns() const = 0;
  [[nodiscard]] virtual ElementType Type() const = 0;
  /// Size and modification time of the matrix's file; empty for a random matrix.
  [[nodiscard]] virtual std::string Version() const { return {}; }
  /// Reads the elements of the window, which is inside the matrix, in row-major order; `into` has
  /// exactly their size in bytes. kUnavailable if they cannot be read.
  [[nodiscard]] virtual Result<void> Read(const Window& window, std::span<char> into) const = 0;
  /// Whether View gives the elements, so that they need not be read into other memory.
  [[nodiscard]] virtual bool IsMapped() const { return false; }
  /// The elements of the window, which is inside the matrix; valid while the matrix exists. Only if
  /// IsMapped. kUnavailable if the file has become shorter.
  [[nodiscard]] virtual Result<MatrixView> View(const Window& window) const;
};

/// A NumPy file of two dimensions in C order, little-endian, of float32, float64, int32 or
/// int64, opened as OpenFolderFile does. kInvalidInput; the message does not have the file's
/// name.
[[nodiscard]] Result<std::unique_ptr<Matrix>> OpenNpyMatrix(const std::filesystem::path& folder,
                                                            const std::filesystem::path& name,
                                                            bool confined);

/// Uniform elements in [-1, 1), or whole numbers in [-2^10, 2^10) (Int32) or [-2^20, 2^20) (Int64).
/// Element (i, j) depends only on seed, i and j
/// (SplitMixAt(seed, i x columns + j), its upper 24, 53, 11 or 21 bits), the same on every machine.
[[nodiscard]] std::unique_ptr<Matrix> MakeRandomMatrix(std::int64_t rows, std::int64_t columns,
                                                       ElementType type, std::uint64_t seed);

}  // namespace evenkeel::workloads::matmul
