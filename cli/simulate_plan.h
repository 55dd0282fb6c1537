#pragma once

#include <optional>
#include <vector>

#include "cli/simulate_command.h"
#include "simulator/recorded_run.h"
#include "simulator/scenario.h"

namespace evenkeel::cli {

/// The checked input of `evenkeel simulate`.
struct SimulatePlan {
  std::vector<simulator::Scenario> scenarios;
  /// With --replay: the run that the only scenario replays, its nodes as they were changed.
  std::optional<simulator::RecordedRun> recorded;
};

/// Reads what the options name. Errors are one line.
[[nodiscard]] Result<SimulatePlan> PlanSimulation(const SimulateOptions& options,
                                                  const workloads::Registry& registry);

}  // namespace evenkeel::cli
