#include "workloads/primes/trial_division.h"

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "workloads/primes/task_result.h"

namespace evenkeel::workloads::primes {
namespace {

/// About 2 ms on a desktop core and 30 ms on the slowest board.
constexpr std::uint32_t kDivisionsBetweenLooks = std::uint32_t{1} << 20;
static_assert(kMaxTrialDivisionEnd + 2 * std::int64_t{kDivisionsBetweenLooks} <=
              std::numeric_limits<std::uint32_t>::max());

enum class Verdict { kPrime, kNotPrime, kStopped };

Verdict Judge(std::uint32_t candidate, const std::stop_token& stop) {
  if (candidate == 1) return Verdict::kNotPrime;
  std::uint32_t divisor = 3;
  while (divisor < candidate) {
    if (stop.stop_requested()) return Verdict::kStopped;
    const std::uint32_t pause = std::min(candidate, divisor + 2 * kDivisionsBetweenLooks);
    for (; divisor < pause; divisor += 2) {
      if (candidate % divisor == 0) return Verdict::kNotPrime;
    }
  }
  return Verdict::kPrime;
}

class TrialDivisionRunner final : public TaskRunner {
 public:
  explicit TrialDivisionRunner(const CandidateTasks& tasks) : tasks_(tasks) {}

  TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                  TaskFailure&) override {
    const CandidateRange candidates = tasks_.Of(call.index);
    bitmap_.assign(BitmapBytes(candidates), '\0');
    for (CandidateIndex i = candidates.begin; i < candidates.end; ++i) {
      const Verdict verdict = Judge(static_cast<std::uint32_t>(NumberOf(i)), stop);
      if (verdict == Verdict::kStopped) return TaskOutcome::kStopped;
      if (verdict == Verdict::kPrime) Mark(i - candidates.begin);
    }
    result += bitmap_;
    return TaskOutcome::kDone;
  }

 private:
  void Mark(std::int64_t place) {
    char& byte = bitmap_[static_cast<std::size_t>(place / 8)];
    byte = static_cast<char>(static_cast<unsigned char>(byte) | 1U << (place % 8));
  }

  CandidateTasks tasks_;
  std::string bitmap_;
};

}  // namespace

std::unique_ptr<TaskRunner> MakeTrialDivisionRunner(const CandidateTasks& tasks) {
  EVENKEEL_CHECK(tasks.End() <= kMaxTrialDivisionEnd, "trial division beyond 32-bit arithmetic");
  return std::make_unique<TrialDivisionRunner>(tasks);
}

}  // namespace evenkeel::workloads::primes
