#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/matmul/matrix.h"

namespace evenkeel::workloads::matmul {

/// Freivalds' check (R. Freivalds, "Probabilistic machines can use less running time", IFIP 1977):
/// C x = A (B x) for a random vector x. O(mk + kn + mn), rows read one after the other. A wrong
/// row passes with probability 1/2 at most. Not thread-safe.
///
/// Of fractions, elements of x are -1 or 1 and the rounding of both sides is bounded: |C x - A (B
/// x)| must in no row exceed (gamma_k + what the check itself rounds) |A| |B| e + gamma_n |C| e,
/// with gamma_k = k u / (1 - k u), u the unit roundoff of C's type and e all ones (Higham,
/// "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 3.5); only what is wrong
/// by more is found. Of whole numbers, x is drawn from all numbers of 64 bits and both sides have
/// to be the same modulo 2^32 or 2^64: a row with an odd error passes with probability 2^-32 or
/// 2^-64, one with an error that is a multiple of 2^j and not of more with 2^j times that.
class FreivaldsCheck {
 public:
  /// Reads both factors. kUnavailable if they cannot be read. `random_words` makes x: one word per
  /// column of `b`. The workers that computed C must not have been able to know them, or C could be
  /// wrong and pass.
  [[nodiscard]] static Result<FreivaldsCheck> Make(const Matrix& a, const Matrix& b,
                                                   std::vector<std::uint64_t> random_words);

  /// Looks at rows of C, whole and from `first_row` on. False: one of them is wrong. Rows with
  /// elements that are not finite say nothing and pass.
  [[nodiscard]] bool RowsPass(std::int64_t first_row, std::span<const char> elements) const;

 private:
  FreivaldsCheck() = default;
  Result<void> ExpectFractions(const Matrix& a, const Matrix& b);
  Result<void> ExpectWholeNumbers(const Matrix& a, const Matrix& b);
  [[nodiscard]] bool FractionsPass(std::size_t row, const char* elements) const;
  [[nodiscard]] bool WholeNumbersPass(std::size_t row, const char* elements) const;

  ElementType type_ = ElementType::kFloat64;
  std::int64_t columns_ = 0;
  double gamma_product_ = 0;            // of |A| |B| e
  double gamma_row_ = 0;                // of |C| e
  std::vector<std::uint64_t> words_;    // random; x, of whole numbers
  std::vector<double> signs_;           // x, of fractions
  std::vector<double> ones_;            // as many
  std::vector<double> expected_;        // A (B x)
  std::vector<double> expected_bound_;  // |A| (|B| e)
  std::vector<std::uint64_t> expected_words_;
};

}  // namespace evenkeel::workloads::matmul
