#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::tournament {

/// The set of dimensions of a scenario that are drawn.
enum class Field {
  kPlain,  ///< nodes, speeds, tasks, costs, weights, deaths, latency
  kFull,   ///< also slots, slow-downs, joins, links, declared costs, arrivals, task lengths
};

/// A scenario drawn at random.
struct Draw {
  std::uint64_t seed = 0;
  std::string yaml;        ///< a scenario file (docs/simulator.md)
  std::int64_t tasks = 0;  ///< tasks that exist from the start
  /// The value of each dimension, by which tables are split: {"tasks per node", "8"}.
  std::vector<std::pair<std::string, std::string>> dimensions;

  /// The value of the dimension; empty if it was not drawn.
  [[nodiscard]] std::string Value(const std::string& dimension) const;
};

/// Draws a scenario. Depends only on `seed` and `field`, on every machine.
[[nodiscard]] Draw DrawScenario(std::uint64_t seed, Field field);

}  // namespace evenkeel::tournament
