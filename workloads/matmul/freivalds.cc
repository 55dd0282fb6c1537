#include "workloads/matmul/freivalds.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::workloads::matmul {
namespace {

constexpr std::int64_t kReadAheadBytes = 4 << 20;

/// Sums of a row: with the weights, and of absolute values with the absolute weights.
struct RowSums {
  double weighted = 0;
  double absolute = 0;
};

template <typename Number>
RowSums SumsOf(const char* row, std::size_t count, const double* weights, const double* absolutes) {
  // Several sums side by side, so that the processor need not wait for one addition after another.
  constexpr std::size_t kLanes = 8;
  double weighted[kLanes] = {};
  double absolute[kLanes] = {};
  const auto add = [&](std::size_t at, std::size_t lane) {
    Number element = 0;
    std::memcpy(&element, row + at * sizeof element, sizeof element);
    const auto value = static_cast<double>(element);
    weighted[lane] += value * weights[at];
    absolute[lane] += std::fabs(value) * absolutes[at];
  };
  std::size_t at = 0;
  for (; at + kLanes <= count; at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(at + lane, lane);
  }
  for (; at < count; ++at) add(at, 0);
  RowSums sums;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums.weighted += weighted[lane];
    sums.absolute += absolute[lane];
  }
  return sums;
}

RowSums SumsOf(ElementType type, const char* row, std::size_t count, const double* weights,
               const double* absolutes) {
  return type == ElementType::kFloat32 ? SumsOf<float>(row, count, weights, absolutes)
                                       : SumsOf<double>(row, count, weights, absolutes);
}

/// Calls `visit` with each row and its number.
template <typename Visit>
Result<void> ForEachRow(const Matrix& matrix, const Visit& visit) {
  const std::int64_t row_bytes = matrix.Columns() * BytesOf(matrix.Type());
  const std::int64_t most = std::clamp<std::int64_t>(kReadAheadBytes / row_bytes, 1, matrix.Rows());
  std::vector<char> rows(static_cast<std::size_t>(most * row_bytes));
  for (std::int64_t row = 0; row < matrix.Rows(); row += most) {
    const std::int64_t count = std::min(most, matrix.Rows() - row);
    const std::span<char> part(rows.data(), static_cast<std::size_t>(count * row_bytes));
    if (auto read = matrix.Read({row, 0, count, matrix.Columns()}, part); !read) return read;
    for (std::int64_t n = 0; n < count; ++n) {
      visit(static_cast<std::size_t>(row + n), rows.data() + n * row_bytes);
    }
  }
  return {};
}

/// matrix x weights and |matrix| x absolutes.
Result<void> MultiplyRows(const Matrix& matrix, const std::vector<double>& weights,
                          const std::vector<double>& absolutes, std::vector<double>& weighted,
                          std::vector<double>& absolute) {
  return ForEachRow(matrix, [&](std::size_t row, const char* elements) {
    const RowSums sums =
        SumsOf(matrix.Type(), elements, weights.size(), weights.data(), absolutes.data());
    weighted[row] = sums.weighted;
    absolute[row] = sums.absolute;
  });
}

template <typename Number>
std::uint64_t WordSum(const char* row, const std::vector<std::uint64_t>& weights) {
  std::uint64_t sum = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    Number element = 0;
    std::memcpy(&element, row + n * sizeof element, sizeof element);
    sum += static_cast<std::uint64_t>(element) * weights[n];
  }
  return sum;
}

/// A row times the weights, modulo 2^64; of its lower half modulo 2^32 if elements have 32 bits.
std::uint64_t WordSum(ElementType type, const char* row,
                      const std::vector<std::uint64_t>& weights) {
  return type == ElementType::kInt32 ? WordSum<std::uint32_t>(row, weights)
                                     : WordSum<std::uint64_t>(row, weights);
}

/// k u / (1 - k u); infinite where that bounds nothing.
double Gamma(std::int64_t terms, double roundoff) {
  const double product = static_cast<double>(terms) * roundoff;
  return product < 1 ? product / (1 - product) : std::numeric_limits<double>::infinity();
}

constexpr double kSingleRoundoff = std::numeric_limits<float>::epsilon() / 2;
constexpr double kDoubleRoundoff = std::numeric_limits<double>::epsilon() / 2;

}  // namespace

Result<FreivaldsCheck> FreivaldsCheck::Make(const Matrix& a, const Matrix& b,
                                            std::vector<std::uint64_t> random_words) {
  EVENKEEL_CHECK(static_cast<std::int64_t>(random_words.size()) == b.Columns(),
                 "a random word for each column");
  FreivaldsCheck check;
  check.words_ = std::move(random_words);
  check.type_ = a.Type();
  check.columns_ = b.Columns();
  const Result<void> expected =
      IsWhole(a.Type()) ? check.ExpectWholeNumbers(a, b) : check.ExpectFractions(a, b);
  if (!expected) return tl::unexpected(expected.error());
  return check;
}

Result<void> FreivaldsCheck::ExpectFractions(const Matrix& a, const Matrix& b) {
  const auto columns = static_cast<std::size_t>(b.Columns());
  const auto depth = static_cast<std::size_t>(b.Rows());
  signs_.resize(columns);
  for (std::size_t n = 0; n < columns; ++n) {
    signs_[n] = (words_[n] >> 63) == 0 ? 1.0 : -1.0;
  }
  ones_.assign(columns, 1.0);
  expected_.resize(static_cast<std::size_t>(a.Rows()));
  expected_bound_.resize(expected_.size());
  const double unit = type_ == ElementType::kFloat32 ? kSingleRoundoff : kDoubleRoundoff;
  // One more term of each kind for the sums of absolute values, which are rounded as well.
  gamma_product_ =
      Gamma(a.Columns() + 1, unit) + 3 * Gamma(a.Columns() + b.Columns() + 1, kDoubleRoundoff);
  gamma_row_ = 2 * Gamma(b.Columns() + 1, kDoubleRoundoff);
  std::vector<double> inner(depth);
  std::vector<double> inner_bound(depth);
  return MultiplyRows(b, signs_, ones_, inner, inner_bound).and_then([&] {
    return MultiplyRows(a, inner, inner_bound, expected_, expected_bound_);
  });
}

Result<void> FreivaldsCheck::ExpectWholeNumbers(const Matrix& a, const Matrix& b) {
  expected_words_.resize(static_cast<std::size_t>(a.Rows()));
  std::vector<std::uint64_t> inner(static_cast<std::size_t>(b.Rows()));
  const auto of_b = [&](std::size_t row, const char* elements) {
    inner[row] = WordSum(type_, elements, words_);
  };
  const auto of_a = [&](std::size_t row, const char* elements) {
    expected_words_[row] = WordSum(type_, elements, inner);
  };
  return ForEachRow(b, of_b).and_then([&] { return ForEachRow(a, of_a); });
}

bool FreivaldsCheck::RowsPass(std::int64_t first_row, std::span<const char> elements) const {
  const auto row_bytes = static_cast<std::size_t>(columns_ * BytesOf(type_));
  for (std::size_t n = 0; n < elements.size() / row_bytes; ++n) {
    const std::size_t row = static_cast<std::size_t>(first_row) + n;
    const char* const of_row = elements.data() + n * row_bytes;
    const bool pass = IsWhole(type_) ? WholeNumbersPass(row, of_row) : FractionsPass(row, of_row);
    if (!pass) return false;
  }
  return true;
}

bool FreivaldsCheck::FractionsPass(std::size_t row, const char* elements) const {
  const RowSums sums = SumsOf(type_, elements, signs_.size(), signs_.data(), ones_.data());
  const double difference = std::fabs(sums.weighted - expected_[row]);
  const double bound = gamma_product_ * expected_bound_[row] + gamma_row_ * sums.absolute;
  const bool finite = std::isfinite(sums.absolute) && std::isfinite(expected_bound_[row]);
  return !finite || difference <= bound + std::numeric_limits<float>::min();
}

bool FreivaldsCheck::WholeNumbersPass(std::size_t row, const char* elements) const {
  const std::uint64_t difference = WordSum(type_, elements, words_) - expected_words_[row];
  return type_ == ElementType::kInt32 ? static_cast<std::uint32_t>(difference) == 0
                                      : difference == 0;
}

}  // namespace evenkeel::workloads::matmul
