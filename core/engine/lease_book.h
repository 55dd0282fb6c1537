#pragma once

#include <optional>
#include <vector>

#include "core/engine/messages.h"
#include "core/engine/owner_map.h"
#include "core/scheduling/lease_view.h"

namespace evenkeel::engine {

/// Who runs what: each leased task has one owner and at most one worker that runs a copy of it.
/// Memory grows with the number of leased ranges. Not thread-safe.
class LeaseBook final : public scheduling::LeaseView {
 public:
  using WorkerId = scheduling::WorkerId;

  /// `costs` must outlive the book.
  explicit LeaseBook(const model::CostModel& costs) : costs_(costs) {}

  void AddWorker();
  void SetConnected(WorkerId worker, bool connected);

  void Lease(WorkerId worker, model::IndexRange range, GrantId grant, Instant now);
  /// The same for a task that failed before, which nobody is to copy.
  void LeaseRetry(WorkerId worker, model::IndexRange range, GrantId grant, Instant now);
  void LeaseCopy(WorkerId worker, model::IndexRange range, GrantId grant, Instant now);
  /// What of the range is leased is not to be copied while it is.
  void ForbidCopies(model::IndexRange range);
  /// The tasks are over: whoever holds them does not any more. Returns the other holders, i.e. all
  /// pieces held by somebody else than `by`.
  std::vector<OwnerMap::Piece> Complete(model::IndexRange range, WorkerId by);
  /// The worker ended its last task then and goes on with the next.
  void NoteWorked(WorkerId worker, Instant ended);
  /// The part of `range` that the worker owns under `grant` (under any, if not given) is free
  /// again; returns it. Where a copy runs elsewhere the copy's runner becomes the owner instead.
  std::vector<model::IndexRange> Release(WorkerId worker, model::IndexRange range,
                                         std::optional<GrantId> grant);
  /// Everything the worker owns is free again, as by Release; copies it runs are forgotten.
  std::vector<model::IndexRange> ReleaseAll(WorkerId worker);
  /// The worker does not run this copy (any more).
  void DropCopy(WorkerId worker, model::IndexRange range);

  [[nodiscard]] const model::RangeSet& Leased(WorkerId worker) const override {
    return workers_[worker.value].leased;
  }
  [[nodiscard]] const model::RangeSet& Copies(WorkerId worker) const override {
    return workers_[worker.value].copies;
  }
  [[nodiscard]] model::Cost OutstandingCost(WorkerId worker) const override {
    return workers_[worker.value].cost;
  }
  [[nodiscard]] std::int64_t OutstandingTasks(WorkerId worker) const override {
    return workers_[worker.value].leased.Size() + workers_[worker.value].copies.Size();
  }
  [[nodiscard]] model::IndexRange NewestLeased(WorkerId worker) const override;
  [[nodiscard]] model::IndexRange OldestLeased(WorkerId worker) const override;
  [[nodiscard]] Instant WorkingSince(WorkerId worker) const override {
    return workers_[worker.value].since;
  }
  [[nodiscard]] bool Connected(WorkerId worker) const override {
    return workers_[worker.value].connected;
  }
  [[nodiscard]] const model::RangeSet& Copied() const override { return copied_; }
  [[nodiscard]] const model::RangeSet& NotToBeCopied() const override { return retried_; }
  /// Leased tasks of all workers, copies not counted.
  [[nodiscard]] std::int64_t LeasedTasks() const { return leased_tasks_; }
  /// The owned pieces within the range.
  [[nodiscard]] std::vector<OwnerMap::Piece> Owners(model::IndexRange range) const {
    return owners_.Within(range);
  }

 private:
  struct Worker {
    model::RangeSet leased;
    model::RangeSet copies;
    model::Cost cost = 0;
    Instant since{};
    bool connected = false;
    mutable std::vector<Grant> newest;  // grants in order; those that are over go now and then
    std::size_t sweep_at = 16;          // size of `newest` at which they go
  };

  void NoteNewest(WorkerId worker, model::IndexRange range, GrantId grant);
  void Add(WorkerId worker, model::IndexRange range, bool copy, Instant now);
  void Take(WorkerId worker, model::IndexRange range, bool copy);

  const model::CostModel& costs_;
  std::vector<Worker> workers_;
  OwnerMap owners_;
  OwnerMap copies_;
  model::RangeSet retried_;  // leased, and nobody is to copy them
  model::RangeSet copied_;
  std::int64_t leased_tasks_ = 0;
};

}  // namespace evenkeel::engine
