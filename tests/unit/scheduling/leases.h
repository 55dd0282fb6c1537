#pragma once

#include <map>
#include <vector>

#include "core/scheduling/lease_view.h"

namespace evenkeel::scheduling {

/// Leases as a test wants them.
class Leases final : public LeaseView {
 public:
  struct Worker {
    model::RangeSet leased;
    model::RangeSet copies;
    Instant since{};
    bool connected = true;
    RunningTasks running{};
  };
  explicit Leases(const model::CostModel& costs) : costs_(costs) {}
  std::vector<Worker> workers;
  model::RangeSet copied;  ///< tasks of which there are copies
  std::map<model::TaskIndex, std::vector<WorkerId>> copy_holders;

  [[nodiscard]] const model::RangeSet& Leased(WorkerId w) const override {
    return workers[w.value].leased;
  }
  [[nodiscard]] const model::RangeSet& Copies(WorkerId w) const override {
    return workers[w.value].copies;
  }
  [[nodiscard]] model::Cost OutstandingCost(WorkerId w) const override {
    model::Cost cost = 0;
    Leased(w).ForEach([&](model::IndexRange range) { cost += costs_.Of(range); });
    return cost;
  }
  [[nodiscard]] std::int64_t OutstandingTasks(WorkerId w) const override {
    return Leased(w).Size();
  }
  [[nodiscard]] model::IndexRange NewestUncopied(WorkerId w,
                                                 const model::RangeSet& besides) const override {
    model::RangeSet open = Leased(w);
    copied.ForEach([&open](model::IndexRange part) { open.Erase(part); });
    besides.ForEach([&open](model::IndexRange part) { open.Erase(part); });
    return open.Empty() ? model::IndexRange{} : open.Back();
  }
  [[nodiscard]] model::IndexRange OldestLeased(WorkerId w) const override {
    if (Leased(w).Empty()) return {};
    return {Leased(w).Front().begin, Leased(w).Front().begin + 1};
  }
  [[nodiscard]] Instant WorkingSince(WorkerId w) const override { return workers[w.value].since; }
  [[nodiscard]] RunningTasks Running(WorkerId w, std::int64_t) const override {
    return workers[w.value].running;
  }
  [[nodiscard]] std::optional<Instant> StartOf(WorkerId w, model::TaskIndex index,
                                               std::int64_t) const override {
    for (const RunningTask& task : workers[w.value].running) {
      if (task.index == index) return task.since;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool Connected(WorkerId w) const override { return workers[w.value].connected; }
  [[nodiscard]] const model::RangeSet& Copied() const override { return copied; }
  [[nodiscard]] std::vector<WorkerId> CopyHolders(model::TaskIndex index) const override {
    const auto known = copy_holders.find(index);
    return known == copy_holders.end() ? std::vector<WorkerId>{} : known->second;
  }
  [[nodiscard]] const model::RangeSet& NotToBeCopied() const override { return failed_before_; }

 private:
  const model::CostModel& costs_;
  model::RangeSet failed_before_;
};

/// Reservations as strategies entered them.
class Reservations final : public ReservationLedger {
 public:
  void Reserve(model::IndexRange range, WorkerId worker) override {
    Unreserve(range);
    workers_[worker].Insert(range);
  }
  void Unreserve(model::IndexRange range) override {
    for (auto& entry : workers_) entry.second.Erase(range);
  }
  [[nodiscard]] const model::RangeSet& Of(WorkerId worker) { return workers_[worker]; }
  /// The reservations of all workers.
  [[nodiscard]] model::RangeSet All() const {
    model::RangeSet all;
    for (const auto& entry : workers_) {
      entry.second.ForEach([&](model::IndexRange range) { all.Insert(range); });
    }
    return all;
  }

 private:
  std::map<WorkerId, model::RangeSet> workers_;
};

}  // namespace evenkeel::scheduling
