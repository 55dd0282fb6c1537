#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/model/index_range.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// Declared locations of tasks before they run, and declared speeds of transfers between workers.
/// Only the simulator declares any. Without declarations no task has a location, all workers are
/// neighbours, and transfer speeds are unknown. Not thread-safe.
class TaskPlaces {
 public:
  /// An empty instance with static lifetime.
  [[nodiscard]] static const TaskPlaces& Unknown();
  /// These tasks are at this worker's node. No task is put twice.
  void Put(model::IndexRange range, WorkerId home);
  /// The two are neighbours; `tasks_per_second` > 0, each way. Once there is a link, workers
  /// without one between them are no neighbours.
  void Link(WorkerId one, WorkerId other, double tasks_per_second);

  struct Part {
    model::IndexRange range;
    std::optional<WorkerId> home;  ///< none: nowhere in particular
  };
  /// The range, cut where the place changes.
  [[nodiscard]] std::vector<Part> Split(model::IndexRange range) const;
  [[nodiscard]] bool Neighbours(WorkerId one, WorkerId other) const {
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
  /// It takes time to get tasks from one worker to another.
  [[nodiscard]] bool HasLinks() const { return !links_.empty(); }
  /// Nothing was declared.
  [[nodiscard]] bool Empty() const { return homes_.empty() && links_.empty(); }

 private:
  using Ends = std::pair<WorkerId, WorkerId>;
  [[nodiscard]] static Ends Key(WorkerId one, WorkerId other) {
    return one < other ? Ends{one, other} : Ends{other, one};
  }

  std::map<model::TaskIndex, Part> homes_;  // by begin
  std::map<Ends, double> links_;
  std::map<WorkerId, std::set<WorkerId>> neighbours_;
};

}  // namespace evenkeel::scheduling
