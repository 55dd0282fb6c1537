#pragma once

#include <cstdint>

#include "coordinator/job_version.h"
#include "core/engine/coordinator_config.h"
#include "simulator/simulated_journal.h"
#include "simulator/simulation_config.h"

namespace evenkeel::simulator {

/// The simulated job with its first `tasks` tasks. `config` must outlive it.
[[nodiscard]] coordinator::SharedJobVersion MakeJobVersion(const SimulationConfig& config,
                                                           std::int64_t tasks);
[[nodiscard]] coordinator::JobIdentity IdentityOfSimulated(const coordinator::JobVersion& version);

/// Configuration of a start of the coordinator that finds the durable results.
[[nodiscard]] engine::CoordinatorConfig EngineConfigOf(const SimulationConfig& config,
                                                       const coordinator::JobVersion& version,
                                                       const SimulatedJournal& journal,
                                                       std::uint64_t epoch);

}  // namespace evenkeel::simulator
