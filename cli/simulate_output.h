#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <vector>

#include "simulator/recorded_run.h"
#include "simulator/scenario_run.h"
#include "simulator/summary.h"

namespace evenkeel::cli {

/// A row of "summaries".
[[nodiscard]] nlohmann::ordered_json SummaryJson(const simulator::Summary& summary);

/// The order of tables; what never ended comes last.
[[nodiscard]] std::vector<simulator::Summary> BestFirst(std::vector<simulator::Summary> summaries);

/// {"runs": [...], "summaries": [...]}: each run by itself, and medians over the seeds. If
/// `recorded` is not null, "replay" says what was replayed.
void WriteSimulationJson(const std::vector<simulator::ScenarioRun>& runs,
                         const simulator::RecordedRun* recorded, std::ostream& out);

/// A table a scenario, the best median first, and above it what was replayed.
void WriteSimulationTables(const std::vector<simulator::ScenarioRun>& runs,
                           const simulator::RecordedRun* recorded, std::ostream& out);

}  // namespace evenkeel::cli
