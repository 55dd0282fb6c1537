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
    if (known != kNever && at != kNever) {  // the usual case: without allocating anything
      auto entry = order_.extract({known, worker});
      entry.value().first = at;
      order_.insert(std::move(entry));
    } else if (at != kNever) {
      order_.emplace(at, worker);
    } else {
      order_.erase({known, worker});
    }
    known = at;
  }

  [[nodiscard]] bool Empty() const { return order_.empty(); }
  [[nodiscard]] const std::set<Entry>& Order() const { return order_; }

 private:
  std::set<Entry> order_;
  std::vector<Instant> times_;
};

}  // namespace evenkeel::scheduling
