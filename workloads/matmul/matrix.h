#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/base/error.h"
#include "workloads/matmul/division.h"

namespace evenkeel::workloads::matmul {

/// A matrix that can be read in rectangles. Immutable and thread-safe.
class Matrix {
 public:
  virtual ~Matrix() = default;
  [[nodiscard]] virtual std::int64_t Rows() const = 0;
  [[nodiscard]] virtual std::int64_t Columns() const = 0;
  [[nodiscard]] virtual ElementType Type() const = 0;
  /// Size and time of change of the file that it is from; empty for one that is drawn.
  [[nodiscard]] virtual std::string Version() const { return {}; }
  /// The elements of the window, which lies inside, row by row, as Type() says; `into` has just
  /// their size in bytes. kUnavailable if they cannot be read.
  [[nodiscard]] virtual Result<void> Read(const Window& window, std::span<char> into) const = 0;
};

/// A NumPy file of two dimensions in C order, little-endian, of float32, float64, int32 or
/// int64. kInvalidInput with what is wrong with it, without the file's name.
[[nodiscard]] Result<std::unique_ptr<Matrix>> OpenNpyMatrix(const std::filesystem::path& path);

/// Elements from -1 to below 1, equally spread, or whole numbers from -2^10 to below 2^10 (Int32)
/// and -2^20 to below 2^20 (Int64). Element (i, j) follows from seed, i and j alone
/// (SplitMixAt(seed, i x columns + j), its upper 24, 53, 11 or 21 bits), the same on every machine.
[[nodiscard]] std::unique_ptr<Matrix> MakeRandomMatrix(std::int64_t rows, std::int64_t columns,
                                                       ElementType type, std::uint64_t seed);

}  // namespace evenkeel::workloads::matmul
