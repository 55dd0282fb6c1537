#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace evenkeel::workloads::switch_simulation {

/// The scheduling algorithm of an output: chooses in each slot the queue that may send a cell.
/// These are the eight algorithms that Filipovic and Krstajic name ("Modified master-slave
/// algorithm for load balancing in parallel applications"); docs/workloads.md defines them, since
/// the paper does not.
///
/// "In turn" means round robin: the first queue that is not empty after the one served last.
/// "Longest": ties go to the first one in turn. Every output starts at input 0.
enum class Algorithm : std::uint8_t {
  kLqf,    ///< the longest queue
  kRr,     ///< in turn
  kErr,    ///< exhaustive: one queue until it is empty, then the next in turn
  kFbrr,   ///< frame-based: the next in turn, for as many cells as it has when it is chosen
  kEelqf,  ///< as kElqf, but leaves a queue that is not full when another one is full
  kElqf,   ///< exhaustive: one queue until it is empty, then the longest
  kFblqf,  ///< frame-based: the longest, for as many cells as it has when it is chosen
  kRand,   ///< any that is not empty, with equal probability
};

inline constexpr std::size_t kAlgorithmCount = 8;

/// All of them in the order of the paper.
inline constexpr std::array<Algorithm, kAlgorithmCount> kAllAlgorithms{
    Algorithm::kLqf,   Algorithm::kRr,   Algorithm::kErr,   Algorithm::kFbrr,
    Algorithm::kEelqf, Algorithm::kElqf, Algorithm::kFblqf, Algorithm::kRand};

/// As written in manifests and results: "LQF".
[[nodiscard]] constexpr std::string_view NameOf(Algorithm algorithm) {
  constexpr std::array<std::string_view, kAlgorithmCount> kNames{"LQF",   "RR",   "ERR",   "FBRR",
                                                                 "EELQF", "ELQF", "FBLQF", "RAND"};
  return kNames[static_cast<std::size_t>(algorithm)];
}

/// Nothing if there is no such algorithm.
[[nodiscard]] constexpr std::optional<Algorithm> ParseAlgorithm(std::string_view name) {
  for (const Algorithm algorithm : kAllAlgorithms) {
    if (NameOf(algorithm) == name) return algorithm;
  }
  return std::nullopt;
}

}  // namespace evenkeel::workloads::switch_simulation
