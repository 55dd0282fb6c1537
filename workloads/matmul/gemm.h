#pragma once

#include <cstdint>

namespace evenkeel::workloads::matmul {

/// c (rows x columns) += a (rows x depth) x b (depth x columns), all in row-major order without
/// gaps, each extent below 2^31. Computed on the calling thread, by OpenBLAS if the elements are
/// floating-point numbers. Thread-safe.
void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float* a,
                const float* b, float* c);
void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth, const double* a,
                const double* b, double* c);
/// Modulo 2^32 and 2^64.
void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth, const std::uint32_t* a,
                const std::uint32_t* b, std::uint32_t* c);
void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth, const std::uint64_t* a,
                const std::uint64_t* b, std::uint64_t* c);

}  // namespace evenkeel::workloads::matmul
