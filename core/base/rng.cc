#include "core/base/rng.h"

#include <bit>
#include <cmath>
#include <cstddef>

#include "core/base/check.h"
#include "core/base/portable_math.h"
#include "core/base/splitmix.h"

namespace evenkeel {

Rng::Rng(std::uint64_t seed) : state_{} {
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = SplitMixAt(seed, i);
}

std::uint64_t Rng::Next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Rng::Below(std::uint64_t bound) {
  EVENKEEL_CHECK(bound > 0, "the bound of a random number is 0");
  // Accepting numbers below the threshold would make the first values of the range more likely.
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t drawn = Next();
    if (drawn >= threshold) return drawn % bound;
  }
}

std::int64_t Rng::Between(std::int64_t low, std::int64_t high) {
  EVENKEEL_CHECK(low <= high, "the range of a random number is empty");
  const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t offset = width == 0 ? Next() : Below(width);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

double Rng::Unit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

double Rng::Uniform(double low, double high) { return low + (high - low) * Unit(); }

double Rng::Exponential(double mean) { return -mean * PortableLog(1 - Unit()); }

// The polar method of Marsaglia and Bray, "A convenient method for generating normal variables",
// SIAM Review 6(3), 1964. It needs no sine.
double Rng::Normal() {
  for (;;) {
    const double x = Uniform(-1, 1);
    const double y = Uniform(-1, 1);
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * PortableLog(square) / square);
  }
}

bool Rng::Chance(double probability) { return Unit() < probability; }

}  // namespace evenkeel
