#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "core/base/rng.h"
#include "simulator/simulated_strategy.h"
#include "simulator/simulation.h"

/// Simulations drawn from a seed for property tests: unequal nodes, tasks of all sizes, faults.
namespace evenkeel::support {

struct DrawnSimulation {
  simulator::SimulationConfig config;
  /// The job must fail, because more tasks fail for good than it allows, or one that fails the
  /// job, unless it is complete early.
  bool must_fail = false;
  /// The job may be over, complete, before all tasks have run.
  bool may_end_early = false;
  /// Tasks that fail in the end whenever they are run often enough.
  std::set<model::TaskIndex> doomed;
  /// No worker can begin a task without knowing that it is done: no node is cut off, and all
  /// messages take the same time.
  bool everybody_knows = true;
  std::string summary;  ///< one line for people
};

/// Half of the time the default strategy, else any of those that can be simulated. Sets it in the
/// configuration and returns it.
simulator::SimulatedStrategy DrawStrategy(Rng& rng, simulator::SimulationConfig& config);

/// The same seed gives the same simulation everywhere. At least one worker lives at the end of it.
[[nodiscard]] DrawnSimulation DrawSimulation(std::uint64_t seed);

/// More messages than these are a storm: a few per task and failure, and the regular ones over
/// time.
[[nodiscard]] double MessageBound(const simulator::SimulationConfig& simulation, Duration makespan);

}  // namespace evenkeel::support
