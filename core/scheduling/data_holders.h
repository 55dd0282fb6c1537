#pragma once

#include <map>
#include <vector>

#include "core/model/index_range.h"
#include "core/model/range_set.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// The workers at whose nodes the data of tasks are already: files in the cache of a node, or tasks
/// that came to a node. The data of a task may be at several nodes; of most tasks they are at none.
/// Not thread-safe.
class DataHolders {
 public:
  /// An empty instance with static lifetime.
  [[nodiscard]] static const DataHolders& None();

  /// The data of these tasks are at the node of the worker.
  void Add(WorkerId worker, model::IndexRange range);

  [[nodiscard]] bool Empty() const { return held_.empty(); }
  /// The tasks whose data are at the worker's node.
  [[nodiscard]] const model::RangeSet& Of(WorkerId worker) const;

  struct Part {
    model::IndexRange range;
    std::vector<WorkerId> holders;  ///< in the order of their numbers; may be empty
  };
  /// The range, cut where the holders change.
  [[nodiscard]] std::vector<Part> Split(model::IndexRange range) const;

 private:
  std::map<WorkerId, model::RangeSet> held_;
};

}  // namespace evenkeel::scheduling
