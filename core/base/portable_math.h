#pragma once

/// Logarithm and exponential from additions, multiplications and divisions in a fixed order: the
/// results have the same bits on every architecture, which no standard library guarantees. The
/// relative error is a few units in the last place.
namespace evenkeel {

/// Natural logarithm; minus infinity of 0, not a number below it.
[[nodiscard]] double PortableLog(double x);

/// e to the power of `x`; 0 or infinity if a double cannot hold it.
[[nodiscard]] double PortableExp(double x);

/// `base` (>= 0) to the power of `exponent`. Whole exponents from 0 to 64 are products, so that the
/// first power is `base` itself.
[[nodiscard]] double PortablePower(double base, double exponent);

}  // namespace evenkeel
