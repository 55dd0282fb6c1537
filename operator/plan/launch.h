#pragma once

#include "operator/api/job_plan.h"
#include "operator/plan/coordinator_fate.h"
#include "operator/plan/draft.h"
#include "operator/plan/run_weights.h"
#include "operator/plan/worker_placement.h"

namespace evenkeel::plan {

/// What the plan ConfigMap is to say, before nodes are chosen: as it is, or as for a job that
/// starts now; which attempts have been seen; which one began the run if it was resumed. With
/// `replaced` the latest coordinator makes way for another one that goes on for it.
[[nodiscard]] api::JobPlan PlanToKeep(const Draft& draft, bool replaced);

/// True if no pod of a job ever ran because its image cannot be had, while the operator has another
/// one by now: only then does a job change its image.
[[nodiscard]] bool TakesNewImage(const Draft& draft, const api::JobPlan& content);

/// Adds the actions that bring the job's objects and pods about, in their order: identity, plan,
/// service, policies, deletions, the coordinator, workers. Says where the weights come from.
void Launch(Draft& draft, const CoordinatorFate& fate, const WorkerCensus& census,
            const WorkerChanges& changes, const RunWeights& weights, api::JobPlan content);

/// Whether a coordinator is to be made now, provided that there is work for one.
[[nodiscard]] bool WantsCoordinator(const CoordinatorFate& fate);

}  // namespace evenkeel::plan
