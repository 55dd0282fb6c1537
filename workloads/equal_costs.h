#pragma once

#include "core/model/cost_model.h"

namespace evenkeel::workloads {

/// Known costs without a table: every task costs `each`, the last one the remainder. O(1) memory.
class EqualCosts final : public model::CostModel {
 public:
  /// total >= 1, each >= 1.
  EqualCosts(model::Cost total, model::Cost each) : total_(total), each_(each) {}
  [[nodiscard]] std::int64_t TaskCount() const override { return (total_ - 1) / each_ + 1; }
  [[nodiscard]] model::Cost Cumulative(model::TaskIndex index) const override {
    return index < TaskCount() ? index * each_ : total_;
  }
  [[nodiscard]] model::Cost Longest() const override { return each_ < total_ ? each_ : total_; }
  [[nodiscard]] bool Known() const override { return true; }

 private:
  model::Cost total_;
  model::Cost each_;
};

}  // namespace evenkeel::workloads
