#pragma once

#include <iosfwd>

#include "cli/local_workers.h"
#include "cli/run_plan.h"
#include "coordinator/run_outcome.h"

namespace evenkeel::cli {

/// The context from which the outcome of a local run is computed.
[[nodiscard]] coordinator::OutcomeContext OutcomeOf(const RunPlan& plan, SpeedControl control);

/// How it went, in a few lines for people.
void PrintEnd(const RunPlan& plan, const model::RunSummary& summary, std::ostream& out);

}  // namespace evenkeel::cli
