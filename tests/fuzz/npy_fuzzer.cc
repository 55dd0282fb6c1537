#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "tests/fuzz/scratch_folder.h"
#include "workloads/matmul/matrix.h"

namespace evenkeel::workloads::matmul {
namespace {

void ReadWindow(const Matrix& matrix, const Window& window) {
  std::vector<char> elements(
      static_cast<std::size_t>(window.rows * window.columns * BytesOf(matrix.Type())));
  EVENKEEL_CHECK(matrix.Read(window, elements).has_value(), "a window inside can be read");
}

void ReadMatrix(const Matrix& matrix) {
  const std::int64_t rows = matrix.Rows();
  const std::int64_t columns = matrix.Columns();
  EVENKEEL_CHECK(rows > 0 && columns > 0, "a matrix has elements");
  ReadWindow(matrix, {0, 0, std::min<std::int64_t>(rows, 16), columns});
  ReadWindow(matrix, {rows - 1, columns - 1, 1, 1});
  ReadWindow(matrix, {0, columns / 2, rows, columns - columns / 2});
}

}  // namespace
}  // namespace evenkeel::workloads::matmul

/// A matrix in NumPy's format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const evenkeel::fuzz::ScratchFolder folder;
  folder.Write("a.npy", {reinterpret_cast<const char*>(data), size});
  const auto matrix =
      evenkeel::workloads::matmul::OpenNpyMatrix(folder.Path(), "a.npy", /*confined=*/true);
  if (matrix) evenkeel::workloads::matmul::ReadMatrix(**matrix);
  return 0;
}
