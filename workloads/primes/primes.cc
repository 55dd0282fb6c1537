#include "workloads/primes/primes.h"

#include <algorithm>
#include <mutex>
#include <string>

#include "core/base/check.h"
#include "workloads/equal_costs.h"
#include "workloads/primes/prime_reducer.h"
#include "workloads/primes/sieve.h"
#include "workloads/primes/trial_division.h"

namespace evenkeel::workloads::primes {

CandidateTasks::CandidateTasks(std::int64_t end, std::int64_t candidates_per_task)
    : end_(end), per_task_(candidates_per_task), count_(CandidatesUpTo(end)) {
  EVENKEEL_CHECK(end >= 1 && candidates_per_task >= 1, "tasks need candidates");
}

CandidateRange CandidateTasks::Of(model::TaskIndex task) const {
  EVENKEEL_CHECK(0 <= task && task < TaskCount(), "a task that the job does not have");
  const CandidateIndex begin = task * per_task_;
  return {begin, begin + std::min(per_task_, count_ - begin)};
}

namespace {

/// Keeps one task's result below 200 KiB where it grows with the candidates.
constexpr std::int64_t kMaxCandidatesInResult = std::int64_t{1} << 20;
/// To list the primes, the coordinator keeps one bit a candidate: 60 MiB.
constexpr std::int64_t kMaxListEnd = 1'000'000'000;

constexpr std::int64_t DivideUp(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

std::int64_t MinCandidatesPerTask(std::int64_t end) {
  return DivideUp(CandidatesUpTo(end), kMaxTasks);
}

std::int64_t MaxCandidatesPerTask(const PrimesSpec& spec) {
  const bool in_result = spec.method == Method::kTrialDivision || spec.list;
  return in_result ? kMaxCandidatesInResult : CandidatesUpTo(kMaxSieveEnd);
}

}  // namespace

std::int64_t DefaultCandidatesPerTask(Method method, std::int64_t end) {
  if (method == Method::kTrialDivision) return MinCandidatesPerTask(end);
  constexpr std::int64_t kWantedTasks = 256;
  constexpr std::int64_t kMinDefault = std::int64_t{1} << 10;
  constexpr std::int64_t kMaxDefault = std::int64_t{1} << 20;
  const std::int64_t shared = DivideUp(CandidatesUpTo(end), kWantedTasks);
  return std::max(std::clamp(shared, kMinDefault, kMaxDefault), MinCandidatesPerTask(end));
}

Result<PrimesSpec> ReadPrimesSpec(model::FieldReader fields) {
  PrimesSpec spec;
  const std::string method =
      fields.OptionalChoice("method", {"TrialDivision", "Sieve"}, "TrialDivision");
  spec.method = method == "Sieve" ? Method::kSieve : Method::kTrialDivision;
  spec.list = fields.OptionalBool("list", false);
  const std::int64_t max_end = spec.method == Method::kSieve ? kMaxSieveEnd : kMaxTrialDivisionEnd;
  spec.end = fields.RequiredInt("end", {1, max_end});
  if (spec.list && spec.end > kMaxListEnd) {
    fields.Fail("list", "must be false when end is above " + std::to_string(kMaxListEnd));
  }
  spec.candidates_per_task = fields.OptionalInt(
      "candidatesPerTask", {MinCandidatesPerTask(spec.end), MaxCandidatesPerTask(spec)},
      DefaultCandidatesPerTask(spec.method, spec.end));
  if (auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  return spec;
}

namespace {

class Primes final : public Workload {
 public:
  explicit Primes(const PrimesSpec& spec)
      : spec_(spec), tasks_(spec.end, spec.candidates_per_task) {}

  [[nodiscard]] std::string_view Name() const override { return kName; }
  [[nodiscard]] std::uint32_t Version() const override { return kVersion; }
  [[nodiscard]] std::int64_t TaskCount() const override { return tasks_.TaskCount(); }

  [[nodiscard]] std::shared_ptr<const model::CostModel> Costs() const override {
    // Computed lazily because workers do not need them.
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
