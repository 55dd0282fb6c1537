#include "workloads/synthetic/synthetic.h"

#include <mutex>
#include <utility>

#include "workloads/synthetic/synthetic_reducer.h"
#include "workloads/synthetic/synthetic_runner.h"

namespace evenkeel::workloads::synthetic {
namespace {

class Synthetic final : public Workload {
 public:
  explicit Synthetic(SyntheticSpec spec)
      : spec_(std::move(spec)), costs_(spec_.cost, spec_.tasks, spec_.seed) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return spec_.tasks; }

  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    if (spec_.costs_known && HasTable()) return Table();
    return std::make_shared<model::UnitCosts>(spec_.tasks);
  }
  [[nodiscard]] std::shared_ptr<const model::CostModel> TrueCosts() const override {
    return HasTable() ? Table() : Costs();
  }
  /// Of the units of TrueCosts(): a node of speed 1 sleeps through a nanosecond in a nanosecond.
  [[nodiscard]] double DeclaredUnitsPerSecond() const override {
    return Sleeps() && HasTable() ? 1e9 : 0.0;
  }
  [[nodiscard]] bool Sleeps() const override { return spec_.mode == Mode::kSleep; }

  [[nodiscard]] std::unique_ptr<TaskRunner> MakeRunner(
      const RunnerOptions& options) const override {
    return MakeSyntheticRunner(spec_, costs_, options);
  }
  [[nodiscard]] std::unique_ptr<Reducer> MakeReducer() const override {
    return MakeSyntheticReducer(spec_.tasks, spec_.seed);
  }

 private:
  [[nodiscard]] bool HasTable() const {
    return spec_.mode != Mode::kNone && spec_.tasks <= kMaxTasksInTables;
  }

  [[nodiscard]] std::shared_ptr<const model::CostModel> Table() const {
    // Workers never ask, so they do not pay for it.
    std::call_once(table_made_, [this] {
      std::vector<model::Cost> nanoseconds(static_cast<std::size_t>(spec_.tasks));
      for (std::size_t i = 0; i < nanoseconds.size(); ++i) {
        nanoseconds[i] = costs_.Of(static_cast<model::TaskIndex>(i)).count();
      }
      table_ = std::make_shared<model::PrefixCosts>(nanoseconds);
    });
    return table_;
  }

  SyntheticSpec spec_;
  TaskCosts costs_;
  mutable std::once_flag table_made_;
  mutable std::shared_ptr<const model::CostModel> table_;  // set once, under table_made_
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakeSynthetic(const model::FieldReader& fields) {
  return ReadSyntheticSpec(fields).map(
      [](const SyntheticSpec& spec) -> std::shared_ptr<const Workload> {
        return std::make_shared<Synthetic>(spec);
      });
}

}  // namespace evenkeel::workloads::synthetic
