#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/job_plan.h"
#include "cluster/pod.h"
#include "operator/plan/eligibility.h"
#include "operator/plan/plan_builder.h"

namespace evenkeel::plan {

/// A node that takes part or is to.
struct Place {
  const api::NodeView* node = nullptr;
  std::int64_t attempt = 1;              ///< of the worker made there
  const api::PodView* former = nullptr;  ///< the ended pod it takes the name of; mostly nullptr
};

/// Which workers there are, and where new ones could go.
struct WorkerCensus {
  std::vector<const api::PodView*> live;      ///< run, or are on their way to
  std::vector<const api::PodView*> stuck;     ///< have found no room for 30 s
  std::vector<const api::PodView*> obsolete;  ///< cannot run any more: their node is gone or closed
  std::size_t leaving = 0;                    ///< are being deleted and can be made again
  std::vector<Place> free;                    ///< eligible nodes without a worker
  std::vector<NodeVerdict> verdicts;          ///< of all nodes, unless there are workers enough
  bool room_may_come = false;                 ///< a node lacks nothing but room
  std::optional<Duration> look_again;
};

/// Sorts the job's worker pods and the cluster's nodes. A worker that ended in mid-run may be made
/// again after a back-off that doubles with each attempt (10 s to 6 min, as in batch/v1).
[[nodiscard]] WorkerCensus CountWorkers(const Draft& draft);

/// What is to change.
struct WorkerChanges {
  std::vector<const api::PodView*> remove;
  std::vector<api::WorkerPod> create;
  std::vector<api::PlannedNode> left_out;  ///< nodes that get none, to save energy
};

/// At most maxWorkers workers, one a node, the heaviest nodes first. Running ones stay where they
/// are: nothing is moved for a better node. Places of workers that found no room go to other nodes
/// if there are any. If maxWorkers has been lowered, the lightest go. `weights` belong to
/// `census.free`, in its order.
[[nodiscard]] WorkerChanges PlaceWorkers(const Draft& draft, const WorkerCensus& census,
                                         const std::vector<api::PlannedNode>& weights,
                                         const std::string& image);

/// Whether PlaceWorkers() would look at the weights of census.free at all.
[[nodiscard]] bool NeedsWeights(const Draft& draft, const WorkerCensus& census);

/// Threads of a worker: one for each core, or part of one, that it may use: what the node has for
/// pods, within the worker's limit.
[[nodiscard]] std::int32_t ThreadsOf(const api::WeightedJob& job, const api::NodeView& node);

/// Which free nodes are left without a worker because objective Energy has no need of them.
struct EnergyPlacement {
  std::vector<api::PlannedNode> left_out;
  std::string refusal;  ///< why the objective cannot be honoured; then no worker is to be made
};

/// With objective Energy: takes the nodes that get no work out of `census.free` and `weights`,
/// which belong together. The choice is among the heaviest nodes that maxWorkers allows, workers
/// that are there included; these stay. What the job may take is measured by the nodes it was
/// `planned` with, so that one which is lost brings others in. Other jobs stay as they are.
[[nodiscard]] EnergyPlacement LeaveOutForEnergy(const Draft& draft,
                                                const std::vector<api::PlannedNode>& planned,
                                                WorkerCensus& census,
                                                std::vector<api::PlannedNode>& weights);

}  // namespace evenkeel::plan
