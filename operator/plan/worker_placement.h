#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/eligibility.h"
#include "cluster/job_plan.h"
#include "cluster/pod.h"
#include "cluster/worker_size.h"
#include "operator/plan/missing_room.h"
#include "operator/plan/plan_builder.h"

namespace evenkeel::plan {

/// A node that takes part or is to.
struct Place {
  const cluster::NodeView* node = nullptr;
  std::int64_t attempt = 1;                  ///< of the worker made there
  const cluster::PodView* former = nullptr;  ///< the ended pod it takes the name of; mostly nullptr
  cluster::WorkerSize size{};                ///< of a worker made there now
};

/// Which workers there are, and where new ones could go.
struct WorkerInventory {
  std::vector<const cluster::PodView*> live;   ///< run, or are on their way to
  std::vector<const cluster::PodView*> stuck;  ///< have found no room for 30 s
  std::vector<const cluster::PodView*>
      obsolete;             ///< cannot run any more: their node is gone or closed
  std::size_t leaving = 0;  ///< are being deleted and can be made again
  /// Eligible nodes without a worker; none if there are workers enough.
  std::vector<Place> free;
  std::vector<cluster::NodeEligibility>
      eligibilities;  ///< of all nodes, unless there are workers enough
  /// Nodes that lack nothing but room, or have a worker of the job that waits for room there.
  std::vector<CrowdedNode> crowded;
  std::optional<Duration> requeue_after;
};

/// Sorts the job's worker pods and the cluster's nodes. A worker that ended in mid-run may be made
/// again after a back-off that doubles with each attempt (10 s to 6 min, as in batch/v1).
[[nodiscard]] WorkerInventory TakeWorkerInventory(const PlanBuilder& builder);

/// Changes to the workers of a job.
struct WorkerChanges {
  std::vector<const cluster::PodView*> remove;
  std::vector<cluster::WorkerPod> create;
  std::vector<cluster::PlannedNode> left_out;  ///< nodes that get none, to save energy
};

/// At most maxWorkers workers, one a node, the heaviest nodes first. Running ones stay where they
/// are: nothing is moved for a better node. Places of workers that found no room go to other nodes
/// if there are any. If maxWorkers has been lowered, the lightest go. `weights` belong to
/// `inventory.free`, in its order.
[[nodiscard]] WorkerChanges PlaceWorkers(const PlanBuilder& builder,
                                         const WorkerInventory& inventory,
                                         const std::vector<cluster::PlannedNode>& weights,
                                         const std::string& image);

/// Which free nodes are left without a worker because objective Energy has no need of them.
struct EnergyPlacement {
  std::vector<cluster::PlannedNode> left_out;
  std::string refusal;  ///< why the objective cannot be honoured; then no worker is to be made
};

/// With objective Energy: takes the nodes that get no work out of `inventory.free` and `weights`,
/// which belong together. The choice is among the heaviest nodes that maxWorkers allows, including
/// existing workers, which stay. The makespan limit is computed from the nodes that were `planned`,
/// so that others replace a lost one. With other objectives, changes nothing.
[[nodiscard]] EnergyPlacement LeaveOutForEnergy(const PlanBuilder& builder,
                                                const std::vector<cluster::PlannedNode>& planned,
                                                WorkerInventory& inventory,
                                                std::vector<cluster::PlannedNode>& weights);

}  // namespace evenkeel::plan
