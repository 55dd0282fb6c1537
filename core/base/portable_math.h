#pragma once

/// Logarithm and exponential of additions, multiplications and divisions only, in a fixed order:
/// the same bits on every architecture, which no standard library promises. As good as a double
/// gets but for the last few bits.
namespace evenkeel {

/// Natural logarithm; `x` > 0, finite.
[[nodiscard]] double PortableLog(double x);

/// e to the `x`; 0 and infinity beyond what a double holds.
[[nodiscard]] double PortableExp(double x);

/// `base` > 0 to the `exponent`.
[[nodiscard]] double PortablePower(double base, double exponent);

}  // namespace evenkeel
