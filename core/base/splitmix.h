#pragma once

#include <cstdint>

/// splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014): a hash of a counter that increases by a fixed step.
namespace evenkeel {

inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15ULL;

/// The hash. All 64 bits of the result depend on all bits of `z`.
[[nodiscard]] constexpr std::uint64_t SplitMixHash(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Output number `index` (from 0) of a generator seeded with `seed`, in constant time.
[[nodiscard]] constexpr std::uint64_t SplitMixAt(std::uint64_t seed, std::uint64_t index) {
  return SplitMixHash(seed + kSplitMixStep * (index + 1));
}

}  // namespace evenkeel
