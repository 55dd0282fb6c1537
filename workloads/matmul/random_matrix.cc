#include <cstring>

#include "core/base/splitmix.h"
#include "workloads/matmul/matrix.h"

namespace evenkeel::workloads::matmul {
namespace {

// The upper bits of a hash as a fraction from -1 to below 1, or as a whole number: exact, so the
// same everywhere.
template <typename Number>
Number Drawn(std::uint64_t hash);

template <>
float Drawn<float>(std::uint64_t hash) {
  constexpr float kScale = 1.0F / (1 << 23);
  return static_cast<float>(static_cast<std::int32_t>(hash >> 40) - (1 << 23)) * kScale;
}

template <>
double Drawn<double>(std::uint64_t hash) {
  constexpr double kScale = 1.0 / static_cast<double>(std::int64_t{1} << 52);
  return static_cast<double>(static_cast<std::int64_t>(hash >> 11) - (std::int64_t{1} << 52)) *
         kScale;
}

template <>
std::uint32_t Drawn<std::uint32_t>(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 53) - (1U << 10);
}

template <>
std::uint64_t Drawn<std::uint64_t>(std::uint64_t hash) {
  return (hash >> 43) - (std::uint64_t{1} << 20);
}

class RandomMatrix final : public Matrix {
 public:
  RandomMatrix(std::int64_t rows, std::int64_t columns, ElementType type, std::uint64_t seed)
      : rows_(rows), columns_(columns), type_(type), seed_(seed) {}

  [[nodiscard]] std::int64_t Rows() const override { return rows_; }
  [[nodiscard]] std::int64_t Columns() const override { return columns_; }
  [[nodiscard]] ElementType Type() const override { return type_; }

  [[nodiscard]] Result<void> Read(const Window& window, std::span<char> into) const override {
    WithNumbersOf(type_, [&]<typename Number>(Number) { Draw<Number>(window, into); });
    return {};
  }

 private:
  template <typename Number>
  void Draw(const Window& window, std::span<char> into) const {
    char* out = into.data();
    for (std::int64_t row = 0; row < window.rows; ++row) {
      auto index = static_cast<std::uint64_t>((window.row + row) * columns_ + window.column);
      for (std::int64_t column = 0; column < window.columns; ++column) {
        const Number number = Drawn<Number>(SplitMixAt(seed_, index++));
        std::memcpy(out, &number, sizeof number);
        out += sizeof number;
      }
    }
  }

  std::int64_t rows_;
  std::int64_t columns_;
  ElementType type_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Matrix> MakeRandomMatrix(std::int64_t rows, std::int64_t columns, ElementType type,
                                         std::uint64_t seed) {
  return std::make_unique<RandomMatrix>(rows, columns, type, seed);
}

}  // namespace evenkeel::workloads::matmul
