#pragma once

#include <ostream>
#include <vector>

#include "simulator/scenario_run.h"

namespace evenkeel::cli {

/// {"runs": [...], "summaries": [...]}: each run by itself, and medians over the seeds.
void WriteSimulationJson(const std::vector<simulator::ScenarioRun>& runs, std::ostream& out);

/// A table a scenario, the best median first.
void WriteSimulationTables(const std::vector<simulator::ScenarioRun>& runs, std::ostream& out);

}  // namespace evenkeel::cli
