#pragma once

#include <cstdint>

namespace evenkeel::workloads::matmul {

/// A factor in row-major order. `row_stride` is the number of elements from the start of a row to
/// the start of the next one, at least the length of a row and below 2^31.
template <typename Number>
struct FactorRows {
  const Number* first = nullptr;
  std::int64_t row_stride = 0;
};

/// c (rows x columns, row-major without gaps) += a (rows x depth) x b (depth x columns), each
/// extent below 2^31. Computed on the calling thread, by OpenBLAS if the elements are
/// floating-point numbers; the same to the last bit for all row strides. Thread-safe.
void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                const FactorRows<float>& a, const FactorRows<float>& b, float* c);
void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                const FactorRows<double>& a, const FactorRows<double>& b, double* c);
/// Modulo 2^32 and 2^64.
void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                const FactorRows<std::uint32_t>& a, const FactorRows<std::uint32_t>& b,
                std::uint32_t* c);
void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                const FactorRows<std::uint64_t>& a, const FactorRows<std::uint64_t>& b,
                std::uint64_t* c);

}  // namespace evenkeel::workloads::matmul
