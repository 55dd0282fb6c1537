#include "workloads/primes/primes.h"

#include <mutex>

#include "workloads/equal_costs.h"
#include "workloads/primes/candidates.h"
#include "workloads/primes/division_costs.h"
#include "workloads/primes/prime_reducer.h"
#include "workloads/primes/sieve.h"
#include "workloads/primes/trial_division.h"

namespace evenkeel::workloads::primes {
namespace {

class Primes final : public Workload {
 public:
  explicit Primes(const PrimesSpec& spec)
      : spec_(spec), tasks_(spec.end, spec.candidates_per_task) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return tasks_.TaskCount(); }

  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    // Workers never ask, so they do not pay for it.
    std::call_once(costs_made_, [this] { costs_ = MakeCosts(); });
    return costs_;
  }

  [[nodiscard]] std::unique_ptr<TaskRunner> MakeRunner(const RunnerOptions&) const override {
    return spec_.method == Method::kSieve ? MakeSieveRunner(tasks_, spec_.list)
                                          : MakeTrialDivisionRunner(tasks_);
  }
  [[nodiscard]] std::unique_ptr<Reducer> MakeReducer() const override {
    return MakePrimeReducer(spec_);
  }

 private:
  [[nodiscard]] std::shared_ptr<const model::CostModel> MakeCosts() const {
    if (spec_.method == Method::kSieve) {
      return std::make_shared<EqualCosts>(tasks_.CandidateCount(), tasks_.PerTask());
    }
    return std::make_shared<model::PrefixCosts>(DivisionsByTask(tasks_));
  }

  PrimesSpec spec_;
  CandidateTasks tasks_;
  mutable std::once_flag costs_made_;
  mutable std::shared_ptr<const model::CostModel> costs_;  // set once, under costs_made_
};

}  // namespace

Result<std::shared_ptr<const Workload>> MakePrimes(const model::FieldReader& fields) {
  return ReadPrimesSpec(fields).map([](const PrimesSpec& spec) -> std::shared_ptr<const Workload> {
    return std::make_shared<Primes>(spec);
  });
}

}  // namespace evenkeel::workloads::primes
