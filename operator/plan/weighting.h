#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/job_plan.h"
#include "cluster/job_status.h"
#include "cluster/node.h"
#include "cluster/weighted_job.h"
#include "core/model/node_power.h"
#include "core/model/weighting_policy.h"
#include "operator/plan/snapshot.h"
#include "platform/time.h"

namespace evenkeel::plan {

/// Watts of the node, as its labels or the catalogue of boards say it; nothing if neither does.
[[nodiscard]] std::optional<model::NodePower> NodePower(const cluster::NodeView& node);

/// Power of the board while a worker with this many threads is busy; 0 threads: unknown, counts as
/// the number of the node's cores.
[[nodiscard]] std::optional<model::NodePower> WorkerPower(const cluster::NodeView& node,
                                                          std::int64_t threads);

/// The policy that a job is weighed by, or why there is none.
struct PolicyChoice {
  std::optional<model::WeightingPolicy> policy;
  /// UnknownPolicy or InvalidPolicy if weights are needed and cannot be had; PowerUnknown if nodes
  /// cannot be chosen for objective Energy.
  std::string reason;
  std::string message;

  [[nodiscard]] bool Bad() const { return !reason.empty(); }
};

/// The policy that the job names; "default" and "paper" are built in. Modes Explicit and Equal need
/// no policy.
[[nodiscard]] PolicyChoice ChoosePolicy(const Snapshot& snapshot);

/// The condition Accepted of this policy, as of `now`: whether jobs can be weighed by it, and why
/// not.
[[nodiscard]] cluster::Condition AcceptedCondition(const cluster::PolicyView& policy,
                                                   platform::Timestamp now);

/// Whether the job's weights come from the history of earlier jobs: mode Measured always, mode Auto
/// if a source of history is available.
[[nodiscard]] bool GoesByHistory(const Snapshot& snapshot);

/// A worker that is to be weighed.
struct WorkerToWeigh {
  const cluster::NodeView* node = nullptr;
  std::int32_t threads = 1;  ///< tasks at a time
};

/// Computes the weights of nodes that get a worker. Ratios are relative to the lightest of them.
/// With spec.worker.taskResources a ratio is that of the worker: the node's, times the fraction of
/// its speed that so many tasks use. The whole number of a row is of the whole node.
///
/// Where the job runs already (`planned` is not empty), nodes of the plan keep their ratio whatever
/// their labels say by now, and the others are put on the same scale: all are estimated together,
/// and the new ratios multiplied by the geometric mean of planned / estimated over the nodes that
/// have both. Explicit weights and equal ones need no scale.
///
/// Estimates are fuzzy weights; if the job goes by history and the snapshot has one, they are
/// blended with it (scheduling::BlendRates), and each node carries its parts.
///
/// The result has the order of `workers`. `policy` is needed for modes Auto, Fuzzy and Measured.
[[nodiscard]] std::vector<cluster::PlannedNode> WeighNodes(
    const Snapshot& snapshot, const std::vector<WorkerToWeigh>& workers,
    const std::vector<cluster::PlannedNode>& planned,
    const std::optional<model::WeightingPolicy>& policy);

/// status.workers[].weightSource: where the weight of a node of the job comes from; `node` is its
/// row of the plan, null if it has none.
[[nodiscard]] std::string WeightSource(const model::WeightingSpec& weighting,
                                       const cluster::PlannedNode* node);

}  // namespace evenkeel::plan
