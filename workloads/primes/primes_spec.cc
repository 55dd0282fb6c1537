#include <algorithm>
#include <string>

#include "workloads/primes/candidates.h"
#include "workloads/primes/primes.h"
#include "workloads/primes/sieve.h"
#include "workloads/primes/trial_division.h"

namespace evenkeel::workloads::primes {
namespace {

/// Keeps one task's result below 200 KiB where it grows with the candidates.
constexpr std::int64_t kMaxCandidatesInResult = std::int64_t{1} << 20;
/// The coordinator marks each candidate by one bit to list the primes: 60 MiB.
constexpr std::int64_t kMaxListEnd = 1'000'000'000;

constexpr std::int64_t DivideUp(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

std::int64_t FewestCandidatesPerTask(std::int64_t end) {
  return DivideUp(CandidatesUpTo(end), kMaxTasks);
}

std::int64_t MostCandidatesPerTask(const PrimesSpec& spec) {
  const bool in_result = spec.method == Method::kTrialDivision || spec.list;
  return in_result ? kMaxCandidatesInResult : CandidatesUpTo(kMaxSieveEnd);
}

}  // namespace

std::int64_t DefaultCandidatesPerTask(Method method, std::int64_t end) {
  if (method == Method::kTrialDivision) return FewestCandidatesPerTask(end);
  constexpr std::int64_t kTasksToShare = 256;
  constexpr std::int64_t kWorthATask = std::int64_t{1} << 10;
  constexpr std::int64_t kPlenty = std::int64_t{1} << 20;
  const std::int64_t shared = DivideUp(CandidatesUpTo(end), kTasksToShare);
  return std::max(std::clamp(shared, kWorthATask, kPlenty), FewestCandidatesPerTask(end));
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
      "candidatesPerTask", {FewestCandidatesPerTask(spec.end), MostCandidatesPerTask(spec)},
      DefaultCandidatesPerTask(spec.method, spec.end));
  if (auto read = fields.Finish(); !read) return tl::unexpected(read.error());
  return spec;
}

}  // namespace evenkeel::workloads::primes
