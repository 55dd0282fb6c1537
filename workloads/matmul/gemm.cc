#include "workloads/matmul/gemm.h"

#include <cblas.h>

namespace evenkeel::workloads::matmul {

void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float* a,
                const float* b, float* c) {
  const int m = static_cast<int>(rows);
  const int n = static_cast<int>(columns);
  const int k = static_cast<int>(depth);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0F, a, k, b, n, 1.0F, c, n);
}

void AddProduct(std::int64_t rows, std::int64_t columns, std::int64_t depth, const double* a,
                const double* b, double* c) {
  const int m = static_cast<int>(rows);
  const int n = static_cast<int>(columns);
  const int k = static_cast<int>(depth);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, a, k, b, n, 1.0, c, n);
}

}  // namespace evenkeel::workloads::matmul
