#include "workloads/parameter_estimation/parameter_estimation.h"

#include <utility>

#include "workloads/parameter_estimation/combinations.h"
#include "workloads/parameter_estimation/estimation_reducer.h"
#include "workloads/parameter_estimation/estimation_runner.h"
#include "workloads/parameter_estimation/scheduling_problem.h"

namespace evenkeel::workloads::parameter_estimation {
namespace {

class ParameterEstimation final : public Workload {
 public:
  explicit ParameterEstimation(EstimationSpec spec)
      : spec_(std::move(spec)), problem_(ProblemOf(spec_)) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return CountCombinations(spec_.units); }
  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    return std::make_shared<model::UnitCosts>(TaskCount());
  }
  [[nodiscard]] std::unique_ptr<TaskRunner> MakeRunner(const RunnerOptions&) const override {
    return MakeEstimationRunner(spec_, problem_);
  }
  [[nodiscard]] std::unique_ptr<Reducer> MakeReducer() const override {
    return MakeEstimationReducer(spec_);
  }

 private:
  EstimationSpec spec_;
  SchedulingProblem problem_;
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakeParameterEstimation(const model::FieldReader& fields) {
  return ReadEstimationSpec(fields).map([](EstimationSpec spec) -> std::shared_ptr<const Workload> {
    return std::make_shared<ParameterEstimation>(std::move(spec));
  });
}

}  // namespace evenkeel::workloads::parameter_estimation
