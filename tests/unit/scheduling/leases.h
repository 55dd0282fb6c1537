#pragma once

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
  };
  explicit Leases(const model::CostModel& costs) : costs_(costs) {}
  std::vector<Worker> workers;

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
  [[nodiscard]] model::IndexRange NewestLeased(WorkerId w) const override {
    return Leased(w).Empty() ? model::IndexRange{} : Leased(w).Back();
  }
  [[nodiscard]] model::IndexRange OldestLeased(WorkerId w) const override {
    if (Leased(w).Empty()) return {};
    return {Leased(w).Front().begin, Leased(w).Front().begin + 1};
  }
  [[nodiscard]] Instant WorkingSince(WorkerId w) const override { return workers[w.value].since; }
  [[nodiscard]] bool Connected(WorkerId w) const override { return workers[w.value].connected; }
  [[nodiscard]] const model::RangeSet& Copied() const override { return copied_; }
  [[nodiscard]] const model::RangeSet& NotToBeCopied() const override { return failed_before_; }

 private:
  const model::CostModel& costs_;
  model::RangeSet copied_;
  model::RangeSet failed_before_;
};

}  // namespace evenkeel::scheduling
