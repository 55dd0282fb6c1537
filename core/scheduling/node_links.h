#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// A network of nodes that are not all neighbors, with the speeds of its links: what Compensated is
/// told in the experiments of its paper (docs/experiments.md). Jobs on a cluster declare none.
/// Without links, all workers are neighbors, and speeds are unknown. Not thread-safe.
class NodeLinks {
 public:
  /// An empty instance with static lifetime.
  [[nodiscard]] static const NodeLinks& None();

  /// The two are neighbors; `tasks_per_second` > 0, each way. Once there is a link, workers without
  /// one between them are not neighbors.
  void Add(WorkerId one, WorkerId other, double tasks_per_second);

  [[nodiscard]] bool Empty() const { return links_.empty(); }
  [[nodiscard]] bool Neighbors(WorkerId one, WorkerId other) const {
    return links_.empty() || links_.contains(Key(one, other));
  }
  /// Those on the way from one to the other, which is the last of them, along the fewest links, of
  /// several by the lowest numbers; without any links the direct way. Empty if there is none.
  [[nodiscard]] std::vector<WorkerId> Route(WorkerId from, WorkerId to) const;
  /// Tasks a second over this link; nothing if there is none.
  [[nodiscard]] std::optional<double> RateOf(WorkerId one, WorkerId other) const;
  /// Tasks a second from one to the other when each on the way sends on what it has wholly got;
  /// nothing if it is not known.
  [[nodiscard]] std::optional<double> Rate(WorkerId from, WorkerId to) const;

 private:
  using Ends = std::pair<WorkerId, WorkerId>;
  [[nodiscard]] static Ends Key(WorkerId one, WorkerId other) {
    return one < other ? Ends{one, other} : Ends{other, one};
  }

  std::map<Ends, double> links_;
  std::map<WorkerId, std::set<WorkerId>> neighbors_;
};

}  // namespace evenkeel::scheduling
