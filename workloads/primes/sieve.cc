#include "workloads/primes/sieve.h"

#include <algorithm>
#include <mutex>
#include <primesieve.hpp>

#include "workloads/primes/task_result.h"

namespace evenkeel::workloads::primes {
namespace {

/// Candidates sieved between two checks of the stop token: some 10 ms.
constexpr std::int64_t kCandidatesPerStopCheck = std::int64_t{1} << 23;

/// By default the library counts on all cores. The setting is global to the process.
void UseOneThread() {
  static std::once_flag once;
  std::call_once(once, [] { primesieve::set_num_threads(1); });
}

/// The first and the last number to sieve. 1 and 2 are skipped: 1 is not prime, 2 is not a
/// candidate.
struct Interval {
  explicit Interval(CandidateRange candidates)
      : first(std::max<std::uint64_t>(NumberOf(candidates.begin), 3)),
        last(NumberOf(candidates.end - 1)) {}
  [[nodiscard]] bool Empty() const { return first > last; }
  std::uint64_t first;
  std::uint64_t last;
};

class SieveRunner final : public TaskRunner {
 public:
  SieveRunner(const CandidateTasks& tasks, bool list) : tasks_(tasks), list_(list) {}

  TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                  TaskFailure&) override {
    const CandidateRange candidates = tasks_.Of(call.index);
    found_ = {};
    distances_.clear();
    CandidateRange part{candidates.begin, candidates.begin};
    while (part.end < candidates.end) {
      if (stop.stop_requested()) return TaskOutcome::kStopped;
      part = {part.end, std::min(part.end + kCandidatesPerStopCheck, candidates.end)};
      list_ ? List(part, candidates.begin) : Count(part);
    }
    AppendSieveHeader(found_, result);
    result += distances_;
    return TaskOutcome::kDone;
  }

 private:
  void Count(CandidateRange part) {
    const Interval numbers(part);
    if (numbers.Empty()) return;
    const std::uint64_t count = primesieve::count_primes(numbers.first, numbers.last);
    if (count == 0) return;
    found_.count += static_cast<std::int64_t>(count);
    primesieve::iterator backwards(numbers.last + 1, numbers.first);
    found_.largest = static_cast<CandidateIndex>(backwards.prev_prime() / 2);
  }

  void List(CandidateRange part, CandidateIndex task_begin) {
    const Interval numbers(part);
    if (numbers.Empty()) return;
    primesieve::iterator primes(numbers.first, numbers.last);
    for (std::uint64_t prime = primes.next_prime(); prime <= numbers.last;
         prime = primes.next_prime()) {
      const auto candidate = static_cast<CandidateIndex>(prime / 2);
      const CandidateIndex previous = found_.count > 0 ? found_.largest : task_begin;
      AppendDistance(static_cast<std::uint64_t>(candidate - previous), distances_);
      ++found_.count;
      found_.largest = candidate;
    }
  }

  CandidateTasks tasks_;
  bool list_;
  Found found_;
  std::string distances_;
};

}  // namespace

std::unique_ptr<TaskRunner> MakeSieveRunner(const CandidateTasks& tasks, bool list) {
  UseOneThread();
  return std::make_unique<SieveRunner>(tasks, list);
}

}  // namespace evenkeel::workloads::primes
