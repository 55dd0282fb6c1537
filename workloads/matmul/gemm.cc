#include "workloads/matmul/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <mutex>

// OpenBLAS has no products of whole numbers, so they are computed here in blocks: a strip of B
// stays in the cache, and the sums of a few rows and columns at a time stay in registers.
//
// The function is compiled for several instruction sets; the loader chooses one at program start.
// The sanitizers are not initialized yet at that time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define EVENKEEL_FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EVENKEEL_FOR_EACH_PROCESSOR
#endif

// OpenBLAS takes working memory from a table for each product. Its variant without threads searches
// the table without a lock (0.3.21, driver/others/memory.c), although Debian builds it with
// USE_LOCKING: two threads could get the same memory and spoil each other's products. The linker
// sends all calls of these two functions here; see cmake/EvenkeelOpenBlas.cmake.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
extern "C" {
void* __real_blas_memory_alloc(int position);
void __real_blas_memory_free(void* memory);
void* __wrap_blas_memory_alloc(int position);
void __wrap_blas_memory_free(void* memory);
}

namespace {
std::mutex blas_memory_mutex;
}

void* __wrap_blas_memory_alloc(int position) {
  const std::scoped_lock lock(blas_memory_mutex);
  return __real_blas_memory_alloc(position);
}

void __wrap_blas_memory_free(void* memory) {
  const std::scoped_lock lock(blas_memory_mutex);
  __real_blas_memory_free(memory);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace evenkeel::workloads::matmul {
namespace {

constexpr std::int64_t kRows = 4;
constexpr std::int64_t kColumns = 16;
constexpr std::int64_t kDepth = 256;

struct Strides {
  std::int64_t a;
  std::int64_t b;
  std::int64_t c;
};

/// A tile of c, kRows x kColumns, over `depth`.
template <typename Number>
[[gnu::always_inline]] inline void AddTile(std::int64_t depth, const Strides& strides,
                                           const Number* a, const Number* b, Number* c) {
  Number sums[kRows][kColumns] = {};
  for (std::int64_t n = 0; n < depth; ++n) {
    for (std::int64_t row = 0; row < kRows; ++row) {
      const Number factor = a[row * strides.a + n];
      for (std::int64_t column = 0; column < kColumns; ++column) {
        sums[row][column] += factor * b[n * strides.b + column];
      }
    }
  }
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t column = 0; column < kColumns; ++column) {
      c[row * strides.c + column] += sums[row][column];
    }
  }
}

/// The same for a tile of any size, at the edges of c.
template <typename Number>
[[gnu::always_inline]] inline void AddEdge(std::int64_t rows, std::int64_t columns,
                                           std::int64_t depth, const Strides& strides,
                                           const Number* a, const Number* b, Number* c) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t n = 0; n < depth; ++n) {
      const Number factor = a[row * strides.a + n];
      for (std::int64_t column = 0; column < columns; ++column) {
        c[row * strides.c + column] += factor * b[n * strides.b + column];
      }
    }
  }
}

template <typename Number>
[[gnu::always_inline]] inline void AddAll(std::int64_t rows, std::int64_t columns,
                                          std::int64_t depth, const FactorRows<Number>& a,
                                          const FactorRows<Number>& b, Number* c) {
  const Strides strides{a.row_stride, b.row_stride, columns};
  for (std::int64_t first = 0; first < depth; first += kDepth) {
    const std::int64_t part = std::min(kDepth, depth - first);
    for (std::int64_t column = 0; column < columns; column += kColumns) {
      const std::int64_t wide = std::min(kColumns, columns - column);
      const Number* const right = b.first + first * strides.b + column;
      for (std::int64_t row = 0; row < rows; row += kRows) {
        const std::int64_t high = std::min(kRows, rows - row);
        const Number* const left = a.first + row * strides.a + first;
        Number* const sum = c + row * columns + column;
        if (high == kRows && wide == kColumns) {
          AddTile(part, strides, left, right, sum);
        } else {
          AddEdge(high, wide, part, strides, left, right, sum);
        }
      }
    }
  }
}

/// `gemm` is the routine of BLAS for this type of number.
template <typename Gemm, typename Number>
void AddByBlas(Gemm gemm, std::int64_t rows, std::int64_t columns, std::int64_t depth,
               const FactorRows<Number>& a, const FactorRows<Number>& b, Number* c) {
  const int m = static_cast<int>(rows);
  const int n = static_cast<int>(columns);
  const int k = static_cast<int>(depth);
  const int lda = static_cast<int>(a.row_stride);
  const int ldb = static_cast<int>(b.row_stride);
  gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, Number{1}, a.first, lda, b.first, ldb,
       Number{1}, c, n);
}

}  // namespace

EVENKEEL_FOR_EACH_PROCESSOR
void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                const FactorRows<std::uint32_t>& a, const FactorRows<std::uint32_t>& b,
                std::uint32_t* c) {
  AddAll(rows, columns, depth, a, b, c);
}

EVENKEEL_FOR_EACH_PROCESSOR
void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                const FactorRows<std::uint64_t>& a, const FactorRows<std::uint64_t>& b,
                std::uint64_t* c) {
  AddAll(rows, columns, depth, a, b, c);
}

void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                const FactorRows<float>& a, const FactorRows<float>& b, float* c) {
  AddByBlas(cblas_sgemm, rows, columns, depth, a, b, c);
}

void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                const FactorRows<double>& a, const FactorRows<double>& b, double* c) {
  AddByBlas(cblas_dgemm, rows, columns, depth, a, b, c);
}

}  // namespace evenkeel::workloads::matmul
