#pragma once

#include <optional>

#include "core/model/cost_model.h"

namespace evenkeel::scheduling {

/// The costs that a strategy goes by: as declared, until the estimator does not use them any more.
/// From then on all tasks cost the same, and costs are not known. Not thread-safe.
class CostsInUse final : public model::CostModel {
 public:
  /// `declared` outlives this object and may grow.
  explicit CostsInUse(const model::CostModel& declared) : declared_(declared) {}

  /// Every task costs `each` > 0 from now on: sums computed before do not hold any more.
  void CountEqually(model::Cost each) { each_ = each; }

  [[nodiscard]] std::int64_t TaskCount() const override { return declared_.TaskCount(); }
  [[nodiscard]] model::Cost Cumulative(model::TaskIndex index) const override {
    return each_ ? index * *each_ : declared_.Cumulative(index);
  }
  [[nodiscard]] model::Cost Longest() const override {
    if (!each_) return declared_.Longest();
    return TaskCount() > 0 ? *each_ : 0;
  }
  [[nodiscard]] bool Known() const override { return !each_ && declared_.Known(); }

 private:
  const model::CostModel& declared_;
  std::optional<model::Cost> each_;
};

}  // namespace evenkeel::scheduling
