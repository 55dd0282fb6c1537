#pragma once

#include "coordinator/run_outcome.h"
#include "core/engine/progress.h"
#include "core/model/run_record.h"

namespace evenkeel::coordinator {

/// Adds the estimated energy to the rows of the nodes and to the summary, which has its makespan
/// and what earlier starts did. Nodes whose power or threads are not known, say because only an
/// earlier start had them, stay without, and the sum is partial if they did anything. Nothing if
/// the power of no node is known.
void FillEnergy(const OutcomeContext& context, const engine::Progress& progress,
                model::RunSummary& summary);

}  // namespace evenkeel::coordinator
