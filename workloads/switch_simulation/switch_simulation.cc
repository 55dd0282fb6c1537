#include "workloads/switch_simulation/switch_simulation.h"

#include <mutex>
#include <utility>

#include "workloads/switch_simulation/switch_reducer.h"
#include "workloads/switch_simulation/switch_runner.h"
#include "workloads/switch_simulation/task_costs.h"
#include "workloads/switch_simulation/task_grid.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

class SwitchSimulation final : public Workload {
 public:
  explicit SwitchSimulation(SwitchSpec spec) : spec_(std::move(spec)) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return TaskCountOf(spec_); }

  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    // Workers never ask, so they do not pay for it.
    std::call_once(costs_made_,
                   [this] { costs_ = std::make_shared<model::PrefixCosts>(TaskCosts(spec_)); });
    return costs_;
  }

  [[nodiscard]] std::unique_ptr<TaskRunner> MakeRunner(const RunnerOptions&) const override {
    return MakeSwitchRunner(spec_);
  }
  [[nodiscard]] std::unique_ptr<Reducer> MakeReducer() const override {
    return MakeSwitchReducer(spec_);
  }

 private:
  SwitchSpec spec_;
  mutable std::once_flag costs_made_;
  mutable std::shared_ptr<const model::CostModel> costs_;  // set once, under costs_made_
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakeSwitchSimulation(const model::FieldReader& fields) {
  return ReadSwitchSpec(fields).map([](SwitchSpec spec) -> std::shared_ptr<const Workload> {
    return std::make_shared<SwitchSimulation>(std::move(spec));
  });
}

}  // namespace evenkeel::workloads::switch_simulation
