#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/job_plan.h"
#include "operator/plan/coordinator_health.h"
#include "operator/plan/plan_builder.h"
#include "operator/plan/weighting.h"
#include "operator/plan/worker_placement.h"

namespace evenkeel::plan {

/// The weights that are made in one look at a job.
struct RunWeights {
  std::vector<api::PlannedNode> free;  ///< of census.free, in its order; empty if none are needed
  /// Of workers that run already, where a coordinator starts that knows nothing of their speed and
  /// the history knows more by now.
  std::vector<api::PlannedNode> live;
};

/// Weighs the nodes that are to get a worker: for a job that starts or is resumed, for nodes that
/// join, for a coordinator that takes over. If that takes a history which the snapshot has not got
/// yet, the plan says that it wants it.
[[nodiscard]] RunWeights MakeRunWeights(Draft& draft, const CoordinatorFate& fate,
                                        const WorkerCensus& census, const api::JobPlan& content,
                                        const PolicyChoice& policy);

/// Rows of the plan by node: those that `content` has, and those that were made just now.
[[nodiscard]] std::map<std::string, api::PlannedNode> RowsByNode(const api::JobPlan& content,
                                                                 const RunWeights& weights);

/// What the plan is to say of the history once `nodes` have or get a worker: how asking went, and
/// the rows of those that join a run (`starts` is false) which is under way.
void KeepOutcome(const Draft& draft, const std::vector<api::PlannedNode>& nodes,
                 const WorkerChanges& changes, bool starts, api::JobPlan& content);

/// Sets the condition WeightsMeasured by what the plan says, if it says anything.
void SayWhereWeightsComeFrom(Draft& draft, const api::JobPlan& content);

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

/// A coordinator that works by an older workload than the job has now is to find the new one in its
/// volume soon. To be called once the plan has it.
void HandOverTasks(Draft& draft);

/// Of a job that is over: tasks that were appended too late are not run, and its condition says so.
void SayWhatIsNotRun(Draft& draft);

}  // namespace evenkeel::plan
