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
  std::vector<cluster::PlannedNode>
      free;  ///< of inventory.free, in its order; empty if none are needed
  /// Of workers that run already, where a coordinator starts that knows nothing of their speed and
  /// the history knows more by now.
  std::vector<cluster::PlannedNode> live;
};

/// Weighs the nodes that are to get a worker: for a job that starts or is resumed, for nodes that
/// join, for a coordinator that takes over. If that takes a history which the snapshot has not got
/// yet, the plan says that it wants it.
[[nodiscard]] RunWeights MakeRunWeights(PlanBuilder& builder,
                                        const CoordinatorAssessment& assessment,
                                        const WorkerInventory& inventory,
                                        const cluster::JobPlan& content,
                                        const PolicyChoice& policy);

/// Rows of the plan by node: those that `content` has, and those that were made just now.
[[nodiscard]] std::map<std::string, cluster::PlannedNode> RowsByNode(
    const cluster::JobPlan& content, const RunWeights& weights);

/// What the plan is to say of the history once `nodes` have or get a worker: how asking went, and
/// the rows of those that join a run (`starts` is false) which is under way.
void RecordHistoryOutcome(const PlanBuilder& builder,
                          const std::vector<cluster::PlannedNode>& nodes,
                          const WorkerChanges& changes, bool starts, cluster::JobPlan& content);

/// Sets the condition WeightsMeasured by what the plan says, if it says anything.
void SetWeightsMeasuredCondition(PlanBuilder& builder, const cluster::JobPlan& content);

/// What the plan ConfigMap is to say, before nodes are chosen: as it is, or as for a job that
/// starts now; which attempts have been seen; which one began the run if it was resumed. With
/// `replaced` the latest coordinator makes way for another one that goes on for it.
[[nodiscard]] cluster::JobPlan NextJobPlan(const PlanBuilder& builder, bool replaced);

/// True if no pod of a job ever ran because its image cannot be had, while the operator has another
/// one by now: only then does a job change its image.
[[nodiscard]] bool TakesNewImage(const PlanBuilder& builder, const cluster::JobPlan& content);

/// Adds the actions that bring the job's objects and pods about, in their order: identity, plan,
/// service, policies, deletions, the coordinator, workers. Says where the weights come from.
void Launch(PlanBuilder& builder, const CoordinatorAssessment& assessment,
            const WorkerInventory& inventory, const WorkerChanges& changes,
            const RunWeights& weights, cluster::JobPlan content);

/// Whether a coordinator is to be made now, provided that there is work for one.
[[nodiscard]] bool WantsCoordinator(const CoordinatorAssessment& assessment);

/// A coordinator that works by an older workload than the job has now is to find the new one in its
/// volume soon. To be called once the plan has it.
void HandOverTasks(PlanBuilder& builder);

/// Of a job that is over: tasks that were appended too late are not run, and its condition says so.
void ReportTasksNotRun(PlanBuilder& builder);

}  // namespace evenkeel::plan
