#pragma once

#include <set>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// Workers ordered by a predicted time. Each change O(log workers). Not thread-safe.
class FinishIndex {
 public:
  using Entry = std::pair<Instant, WorkerId>;

  /// Puts or moves the worker; `kNever` takes it out.
  void Set(WorkerId worker, Instant at) {
    if (worker.value >= times_.size()) times_.resize(worker.value + 1, kNever);
    Instant& known = times_[worker.value];
    if (known == at) return;
    if (known != kNever) order_.erase({known, worker});
    if (at != kNever) order_.emplace(at, worker);
    known = at;
  }

  [[nodiscard]] bool Empty() const { return order_.empty(); }
  [[nodiscard]] const std::set<Entry>& Order() const { return order_; }

 private:
  std::set<Entry> order_;
  std::vector<Instant> times_;
};

}  // namespace evenkeel::scheduling
