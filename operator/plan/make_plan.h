#pragma once

#include "operator/plan/plan.h"
#include "operator/plan/plan_builder.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::plan {

/// Brings a job that is neither over nor suspended to run and keeps it running: its objects, the
/// coordinator, a worker on each node that is worth one.
void Run(PlanBuilder& builder);

/// Decides what is to be done for one job. Depends on nothing but its argument, so that the same
/// snapshot always gives the same plan; what the last plan wanted but did not get is wanted again.
/// Once what it asks for has come about, it asks for nothing.
[[nodiscard]] Plan MakePlan(const Snapshot& snapshot);

}  // namespace evenkeel::plan
