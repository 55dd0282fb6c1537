#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/job_plan.h"
#include "operator/plan/coordinator_fate.h"
#include "operator/plan/draft.h"
#include "operator/plan/policy_choice.h"
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

}  // namespace evenkeel::plan
