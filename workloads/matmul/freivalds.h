#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "workloads/matmul/matrix.h"

namespace evenkeel::workloads::matmul {

/// Freivalds' check (R. Freivalds, "Probabilistic machines can use less running time", IFIP 1977)
/// with the rounding of both sides bounded: for x of elements drawn from -1 and 1, |C x - A (B x)|
/// must in no row exceed (gamma_k + what the check itself rounds) |A| |B| e + gamma_n |C| e, with
/// gamma_k = k u / (1 - k u), u the unit roundoff of C's type and e all ones (Higham, "Accuracy and
/// Stability of Numerical Algorithms", 2nd edition, section 3.5). A wrong C passes with probability
/// 1/2 at most for one x, if it is wrong by more than the bound. O(mk + kn + mn), rows read one
/// after the other. Not thread-safe.
class FreivaldsCheck {
 public:
  /// Reads both factors. kUnavailable if they cannot be read.
  [[nodiscard]] static Result<FreivaldsCheck> Make(const Matrix& a, const Matrix& b,
                                                   std::uint64_t seed);

  /// Looks at rows of C, whole and from `first_row` on. False: one of them is wrong. Rows with
  /// elements that are not finite say nothing and pass.
  [[nodiscard]] bool RowsPass(std::int64_t first_row, std::span<const char> elements) const;

 private:
  FreivaldsCheck() = default;

  ElementType type_ = ElementType::kFloat64;
  std::int64_t columns_ = 0;
  double gamma_product_ = 0;            // of |A| |B| e
  double gamma_row_ = 0;                // of |C| e
  std::vector<double> signs_;           // x
  std::vector<double> expected_;        // A (B x)
  std::vector<double> expected_bound_;  // |A| (|B| e)
};

}  // namespace evenkeel::workloads::matmul
