#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/node.h"
#include "cluster/resources.h"
#include "cluster/weighted_job.h"

namespace evenkeel::cluster {

/// Why a node takes no new worker of a job.
enum class Obstacle {
  kNone,
  kExcluded,      ///< it gave a wrong result of one of the job's tasks
  kSelector,      ///< spec.nodes.selector does not fit
  kAffinity,      ///< spec.worker.template.affinity does not match
  kArchitecture,  ///< the image does not run there
  kNotReady,
  kCordoned,
  kTaint,      ///< it has a taint that spec.nodes.tolerations does not tolerate
  kResource,   ///< it has too little of a resource, even without other pods
  kNoWeight,   ///< spec.weighting.weights has none for it
  kClaimName,  ///< spec.worker.fileCacheClaim with its name is too long
  kRoom,       ///< other pods leave too little of what the worker asks for
};

/// The architectures that the images are built for, spelled as in status.nodeInfo.architecture.
[[nodiscard]] const std::vector<std::string>& ImageArchitectures();

/// What a job asks of the nodes of its workers.
struct NodeDemands {
  std::set<std::string> excluded;               ///< nodes that gave wrong results
  std::map<std::string, std::string> selector;  ///< labels that a node must have
  model::NodeAffinity affinity;                 ///< what a node must match
  std::vector<Toleration> tolerations;
  /// Nodes that have a weight; nothing: every node may have one.
  std::optional<std::map<std::string, double>> explicit_weights;
  Resources requests;  ///< of the smallest worker; the node must have them for all of its pods
  Resources room;      ///< that other pods must leave; at most `requests`
  std::string requester = "the worker";  ///< whose requests they are, in messages
  std::string file_cache_claim;          ///< spec.worker.fileCacheClaim; empty: none
  std::vector<std::string> architectures = ImageArchitectures();
};

[[nodiscard]] NodeDemands NodeDemandsOf(const WeightedJob& job);

struct NodeObstacle {
  Obstacle obstacle = Obstacle::kNone;
  std::string why;  ///< in words that follow "NODE is"

  friend bool operator==(const NodeObstacle&, const NodeObstacle&) = default;
};

/// All that keeps a new worker off this node, what is hardest to change first. `used` is what the
/// pods there have reserved; without it room is not checked.
[[nodiscard]] std::vector<NodeObstacle> FindObstacles(const NodeView& node,
                                                      const std::optional<Resources>& used,
                                                      const NodeDemands& demands);

struct NodeEligibility {
  const NodeView* node = nullptr;
  NodeObstacle first;  ///< obstacle kNone if there is none

  [[nodiscard]] bool Eligible() const { return first.obstacle == Obstacle::kNone; }
};

/// May a new worker of the job go to this node?
[[nodiscard]] NodeEligibility CheckEligibility(const NodeView& node, const Resources& used,
                                               const NodeDemands& demands);

/// "none of 3 nodes can take a worker: 2 cordoned (a, b); ...": why there is no node for a worker.
[[nodiscard]] std::string Summarize(const std::vector<NodeEligibility>& eligibilities);

}  // namespace evenkeel::cluster
