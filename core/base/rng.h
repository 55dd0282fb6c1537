#pragma once

#include <array>
#include <cstdint>

namespace evenkeel {

/// xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS
/// 47(4), 2021), seeded through splitmix64. The same seed gives the same numbers on every platform;
/// the distributions of the standard library differ between implementations, so none is used.
/// Not thread-safe.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  /// All 64 bits are random.
  [[nodiscard]] std::uint64_t Next();

  /// Uniform in [0, bound); bound > 0. Unbiased (Lemire's rejection).
  [[nodiscard]] std::uint64_t Below(std::uint64_t bound);

  /// Uniform in [low, high], both included.
  [[nodiscard]] std::int64_t Between(std::int64_t low, std::int64_t high);

  /// Uniform in [0, 1) with 53 random bits.
  [[nodiscard]] double Unit();

  /// Uniform in [low, high).
  [[nodiscard]] double Uniform(double low, double high);

  /// Exponential with the given mean.
  [[nodiscard]] double Exponential(double mean);

  /// Normal with mean 0 and standard deviation 1.
  [[nodiscard]] double Normal();

  /// True with the given probability.
  [[nodiscard]] bool Chance(double probability);

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace evenkeel
