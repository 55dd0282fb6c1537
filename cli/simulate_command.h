#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "workloads/registry.h"

namespace evenkeel::cli {

struct SimulateOptions {
  std::vector<std::string> scenario_files;
  std::string replay;              ///< instead: the folder of a run, or its timeline.jsonl
  std::vector<std::string> nodes;  ///< with replay: see ChangeNodes
  std::string strategy;            ///< a strategy or "all"; empty: as the scenario says
  std::string seeds;               ///< "7" or "1..20"; empty: as the scenario says
  std::string html;                ///< file for a page with the lanes; empty: none
  bool json = false;               ///< -o json instead of a table
  bool show_progress = false;
};

/// `evenkeel simulate`: runs the scenarios in virtual time and writes what came of them to `out`;
/// with show_progress a line on `err` for each strategy of each scenario. Returns the exit code: 0,
/// 1 if a simulated job did not complete, or 2 after one line on `err` if an input is wrong.
int RunSimulateCommand(const SimulateOptions& options, const workloads::Registry& registry,
                       std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
