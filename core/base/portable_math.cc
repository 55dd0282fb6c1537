#include "core/base/portable_math.h"

#include <cmath>
#include <limits>

namespace evenkeel {
namespace {

constexpr double kLn2High = 0x1.62e42feep-1;  // the first 32 bits of ln 2: its multiples are exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kSqrtHalf = 0.70710678118654752;

}  // namespace

// x = m * 2^e with m in [sqrt(1/2), sqrt(2)); ln m = 2 artanh s, s = (m - 1) / (m + 1).
double PortableLog(double x) {
  if (!(x > 0)) {
    return x == 0 ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
  }
  if (std::isinf(x)) return x;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < kSqrtHalf) {
    mantissa *= 2;
    --exponent;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double square = s * s;
  double sum = 0;  // of square^k / (2k + 1), smallest first
  for (int k = 12; k >= 1; --k) sum = (sum + 1.0 / (2 * k + 1)) * square;
  const auto e = static_cast<double>(exponent);
  return e * kLn2High + (2 * s + (2 * s * sum + e * kLn2Low));
}

// x = n ln 2 + r with |r| <= ln 2 / 2; e^r by its series.
double PortableExp(double x) {
  constexpr double kLargest = 709.78;
  constexpr double kSmallest = -745.2;
  if (x > kLargest) return std::numeric_limits<double>::infinity();
  if (x < kSmallest) return 0;
  if (std::isnan(x)) return x;
  const double n = std::floor(x / (kLn2High + kLn2Low) + 0.5);
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double sum = 0;
  for (int k = 18; k >= 1; --k) sum = (sum + 1) * r / k;
  return std::ldexp(1 + sum, static_cast<int>(n));
}

double PortablePower(double base, double exponent) {
  constexpr double kMostMultiplications = 64;
  if (exponent >= 0 && exponent <= kMostMultiplications && exponent == std::floor(exponent)) {
    double power = 1;
    for (int i = 0; i < static_cast<int>(exponent); ++i) power *= base;
    return power;
  }
  return PortableExp(exponent * PortableLog(base));
}

}  // namespace evenkeel
