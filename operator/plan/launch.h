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

/// Records the history in the plan for `nodes`, which have or get a worker: the result of the
/// query, and the rows of nodes that join a run that has begun (`starts` is false).
void RecordHistoryOutcome(const PlanBuilder& builder,
                          const std::vector<cluster::PlannedNode>& nodes,
                          const WorkerChanges& changes, bool starts, cluster::JobPlan& content);

/// Sets the condition WeightsMeasured by what the plan says, if it says anything.
void SetWeightsMeasuredCondition(PlanBuilder& builder, const cluster::JobPlan& content);

/// The content of the plan ConfigMap before nodes are chosen: the current one, or that of a job
/// that starts now, with the attempts that were seen and, if the run was resumed, the attempt that
/// began it. With `replaced`, a new coordinator takes over from the latest one.
[[nodiscard]] cluster::JobPlan NextJobPlan(const PlanBuilder& builder, bool replaced);

/// True if no pod of a job ever ran because its image cannot be had, while the operator has another
/// one by now: only then does a job change its image.
[[nodiscard]] bool TakesNewImage(const PlanBuilder& builder, const cluster::JobPlan& content);

/// Adds the actions that bring the job's objects and pods about, in their order: identity, plan,
/// service, policies, deletions, the coordinator, workers. Says where the weights come from.
void Launch(PlanBuilder& builder, const CoordinatorAssessment& assessment,
            const WorkerInventory& inventory, const WorkerChanges& changes,
            const RunWeights& weights, cluster::JobPlan content);

/// Whether to create a coordinator now, provided that it has work to do.
[[nodiscard]] bool WantsCoordinator(const CoordinatorAssessment& assessment);

/// Speeds up the update of the mounted workload when the coordinator uses an older one than the job
/// has. Call it once the plan has the new workload.
void HandOverTasks(PlanBuilder& builder);

/// Reports in the condition of a finished job that tasks which were appended too late are not run.
void ReportTasksNotRun(PlanBuilder& builder);

}  // namespace evenkeel::plan
