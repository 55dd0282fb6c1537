#pragma once

#include <string>
#include <vector>

#include "cluster/node.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::plan {

/// Why a node takes no new worker of a job.
enum class Obstacle {
  kNone,
  kSelector,      ///< spec.nodes.selector does not fit
  kArchitecture,  ///< the image does not run there
  kNotReady,
  kCordoned,
  kTaint,     ///< it has a taint that spec.nodes.tolerations does not tolerate
  kNoWeight,  ///< spec.weighting.weights has none for it
  kRoom,      ///< other pods leave too little of what the worker asks for
};

struct NodeEligibility {
  const cluster::NodeView* node = nullptr;
  Obstacle obstacle = Obstacle::kNone;
  std::string why;  ///< empty if there is no obstacle

  [[nodiscard]] bool Eligible() const { return obstacle == Obstacle::kNone; }
};

/// May a new worker of the job go to this node? `used` is what all pods there ask for.
[[nodiscard]] NodeEligibility CheckEligibility(const cluster::NodeView& node,
                                               const cluster::Resources& used,
                                               const cluster::WeightedJob& job,
                                               const OperatorSettings& settings);

/// Checks which nodes are eligible for one job. Requests of the job's own workers are not counted:
/// a node with a worker is checked as if it had none. The snapshot must outlive it.
class EligibilityChecker {
 public:
  explicit EligibilityChecker(const Snapshot& snapshot);
  [[nodiscard]] NodeEligibility operator()(const cluster::NodeView& node) const;

 private:
  const Snapshot* snapshot_;
  Requests own_workers_;
};

/// "2 of 3 nodes are cordoned (a, b); ...": why there is no node for a worker.
[[nodiscard]] std::string Summarize(const std::vector<NodeEligibility>& eligibilities);

}  // namespace evenkeel::plan
