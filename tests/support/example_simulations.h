#pragma once

#include <vector>

#include "simulator/simulation.h"

/// Simulations that several tests and benchmarks share.
namespace evenkeel::support {

/// The synthetic job of the design on its 16 workers: 768 tasks of 0.1942 to 0.939 s at speed 1,
/// speeds 4.3 x 4, 2.0 x 8, 1.0 x 4. `upside_down`: the weights are 1/speed.
[[nodiscard]] simulator::SimulationConfig SixteenWorkers(std::uint64_t seed, bool costs_known,
                                                         bool upside_down);

/// Sum of the costs over the sum of the speeds at the start, in seconds.
[[nodiscard]] double FluidBound(const simulator::SimulationConfig& simulation);

/// The shortest schedule found by giving each task, largest first, to the worker that ends it
/// earliest, costs and speeds known; in seconds.
[[nodiscard]] double GreedyBest(const simulator::SimulationConfig& simulation);

}  // namespace evenkeel::support
