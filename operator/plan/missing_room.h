#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cluster/node.h"
#include "cluster/resources.h"
#include "operator/plan/plan_builder.h"

namespace evenkeel::plan {

/// A node that would get a worker of the job if it had room for one.
struct CrowdedNode {
  const cluster::NodeView* node = nullptr;
  cluster::Resources used;  ///< requests of all pods there but the job's own workers
};

/// The number of crowded nodes whose shortage a message explains; it counts the others.
inline constexpr std::size_t kMaxExplainedNodes = 3;

/// Describes on which nodes the job waits: "waits for room: pi4-a lacks cpu: requested 500m, free
/// 100m, held by job alpha (3750m), other pods (150m); 4 more nodes". Names only jobs in
/// Snapshot::room_holders; all else is "other pods". `crowded` must not be empty.
[[nodiscard]] std::string DescribeMissingRoom(const PlanBuilder& builder,
                                              const std::vector<CrowdedNode>& crowded);

}  // namespace evenkeel::plan
