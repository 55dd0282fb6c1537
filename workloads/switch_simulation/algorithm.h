#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace evenkeel::workloads::switch_simulation {

/// How an output chooses, slot by slot, which of the queues that lead to it may send a cell. The
/// eight of Filipovic and Krstajic ("Modified master-slave algorithm for load balancing in parallel
/// applications"), whose text names them only; what each does here is said in docs/workloads.md.
///
/// "In turn": the first that is not empty, behind the queue served last and round again. "Longest":
/// of equal ones the first in turn. Every output begins in front of input 0.
enum class Algorithm : std::uint8_t {
  kLqf,    ///< the longest queue
  kRr,     ///< in turn
  kErr,    ///< exhaustive: one queue until it is empty, then the next in turn
  kFbrr,   ///< frame-based: of the next in turn, as many cells as it holds when its turn begins
  kEelqf,  ///< as kElqf, but a queue is left early while another one, unlike itself, is full
  kElqf,   ///< exhaustive: one queue until it is empty, then the longest
  kFblqf,  ///< frame-based: of the longest, as many cells as it holds when it is chosen
  kRand,   ///< any that is not empty, each as likely
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
