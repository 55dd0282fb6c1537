#include "workloads/matmul/freivalds.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/splitmix.h"

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

/// matrix x weights and |matrix| x absolutes.
Result<void> MultiplyRows(const Matrix& matrix, const std::vector<double>& weights,
                          const std::vector<double>& absolutes, std::vector<double>& weighted,
                          std::vector<double>& absolute) {
  const std::int64_t row_bytes = matrix.Columns() * BytesOf(matrix.Type());
  const std::int64_t most = std::clamp<std::int64_t>(kReadAheadBytes / row_bytes, 1, matrix.Rows());
  std::vector<char> rows(static_cast<std::size_t>(most * row_bytes));
  for (std::int64_t row = 0; row < matrix.Rows(); row += most) {
    const std::int64_t count = std::min(most, matrix.Rows() - row);
    const std::span<char> part(rows.data(), static_cast<std::size_t>(count * row_bytes));
    if (auto read = matrix.Read({row, 0, count, matrix.Columns()}, part); !read) return read;
    for (std::int64_t n = 0; n < count; ++n) {
      const RowSums sums = SumsOf(matrix.Type(), rows.data() + n * row_bytes, weights.size(),
                                  weights.data(), absolutes.data());
      weighted[static_cast<std::size_t>(row + n)] = sums.weighted;
      absolute[static_cast<std::size_t>(row + n)] = sums.absolute;
    }
  }
  return {};
}

/// k u / (1 - k u); infinite where that bounds nothing.
double Gamma(std::int64_t terms, double roundoff) {
  const double product = static_cast<double>(terms) * roundoff;
  return product < 1 ? product / (1 - product) : std::numeric_limits<double>::infinity();
}

constexpr double kSingleRoundoff = std::numeric_limits<float>::epsilon() / 2;
constexpr double kDoubleRoundoff = std::numeric_limits<double>::epsilon() / 2;

}  // namespace

Result<FreivaldsCheck> FreivaldsCheck::Make(const Matrix& a, const Matrix& b, std::uint64_t seed) {
  FreivaldsCheck check;
  check.type_ = a.Type();
  check.columns_ = b.Columns();
  const auto columns = static_cast<std::size_t>(b.Columns());
  const auto depth = static_cast<std::size_t>(b.Rows());
  const auto rows = static_cast<std::size_t>(a.Rows());
  check.signs_.resize(columns);
  for (std::size_t n = 0; n < columns; ++n) {
    check.signs_[n] = (SplitMixAt(seed, n) >> 63) == 0 ? 1.0 : -1.0;
  }
  const std::vector<double> ones(columns, 1.0);
  std::vector<double> inner(depth);
  std::vector<double> inner_bound(depth);
  if (auto done = MultiplyRows(b, check.signs_, ones, inner, inner_bound); !done) {
    return tl::unexpected(done.error());
  }
  check.expected_.resize(rows);
  check.expected_bound_.resize(rows);
  if (auto done = MultiplyRows(a, inner, inner_bound, check.expected_, check.expected_bound_);
      !done) {
    return tl::unexpected(done.error());
  }
  const double unit = check.type_ == ElementType::kFloat32 ? kSingleRoundoff : kDoubleRoundoff;
  // One more term of each kind for the sums of absolute values, which are rounded as well.
  check.gamma_product_ =
      Gamma(a.Columns() + 1, unit) + 3 * Gamma(a.Columns() + b.Columns() + 1, kDoubleRoundoff);
  check.gamma_row_ = 2 * Gamma(b.Columns() + 1, kDoubleRoundoff);
  return check;
}

bool FreivaldsCheck::RowsPass(std::int64_t first_row, std::span<const char> elements) const {
  const auto row_bytes = static_cast<std::size_t>(columns_ * BytesOf(type_));
  const std::vector<double> ones(signs_.size(), 1.0);
  for (std::size_t n = 0; n < elements.size() / row_bytes; ++n) {
    const RowSums sums =
        SumsOf(type_, elements.data() + n * row_bytes, signs_.size(), signs_.data(), ones.data());
    const std::size_t row = static_cast<std::size_t>(first_row) + n;
    const double difference = std::fabs(sums.weighted - expected_[row]);
    const double bound = gamma_product_ * expected_bound_[row] + gamma_row_ * sums.absolute;
    const bool finite = std::isfinite(sums.absolute) && std::isfinite(expected_bound_[row]);
    if (finite && difference > bound + std::numeric_limits<float>::min()) return false;
  }
  return true;
}

}  // namespace evenkeel::workloads::matmul
