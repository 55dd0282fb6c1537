#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/time.h"
#include "core/model/range_set.h"
#include "core/model/task_policy.h"

namespace evenkeel::engine {

/// Which tasks failed, how often and where, which wait for their next attempt, which failed for
/// good. A task that has failed is this book's until it is leased again, and again if the lease
/// comes back. Memory grows with the number of failed tasks only. Not thread-safe.
class RetryBook {
 public:
  /// Attempts of one task whose failures are ignored; then it has failed for good.
  static constexpr std::int32_t kMaxIgnored = 1000;

  explicit RetryBook(const model::TaskPolicy& policy) : policy_(policy) {}

  /// What becomes of a task that failed.
  enum class Fate { kTryAgain, kGivenUp, kFailsJob };

  /// One more attempt failed (or is known to have failed, from the journal). Says what the policy
  /// has to say of it; TryLater or GiveUp follows.
  [[nodiscard]] Fate CountFailure(model::TaskIndex index, const std::string& node,
                                  std::optional<std::int32_t> exit_code);
  /// Failures of the task so far, charged or not.
  [[nodiscard]] std::int32_t Failures(model::TaskIndex index) const;
  /// The task failed there.
  [[nodiscard]] bool FailedOn(model::TaskIndex index, const std::string& node) const;
  /// Its latest failure was there.
  [[nodiscard]] bool FailedLastOn(model::TaskIndex index, const std::string& node) const;

  /// The task has failed for good, on that node and for that reason, which may be any bytes.
  void GiveUp(model::TaskIndex index, const std::string& node, std::string_view reason);
  /// "task 3 on pi4-a: exit code 1" of one that was given up, as one line of ASCII; empty before.
  [[nodiscard]] const std::string& ExampleGivenUp() const { return example_given_up_; }
  /// Tries again after an exponential pause: 100 ms, 200 ms, 400 ms, ... at most 60 s.
  void TryLater(model::TaskIndex index, Instant now);
  /// The lease of a task that had failed before is over without a word, or no place was found for
  /// it: it is due, behind the others.
  void Return(model::TaskIndex index);
  /// The task is due no more; false if it was not.
  bool Withdraw(model::TaskIndex index);
  /// The tasks have been completed after all.
  void Forget(model::IndexRange range);

  /// Moves those whose pause is over to those that are due.
  void Update(Instant now);
  [[nodiscard]] Instant NextDue() const;
  /// The next one to find a place for, which is not due any more; nothing if there is none.
  [[nodiscard]] std::optional<model::TaskIndex> TakeDue();
  [[nodiscard]] std::size_t DueCount() const { return due_.size(); }

  [[nodiscard]] const model::RangeSet& Failed() const { return failed_; }
  /// Those that wait for their pause or for a place.
  [[nodiscard]] const model::RangeSet& WaitingTasks() const { return waiting_tasks_; }
  /// Those that failed and are neither completed nor given up.
  [[nodiscard]] const model::RangeSet& Open() const { return open_; }

 private:
  struct History {
    std::int32_t charged = 0;
    std::int32_t ignored = 0;
    std::vector<std::string> nodes;  // where it failed, the latest last, each once
  };

  model::TaskPolicy policy_;
  std::unordered_map<model::TaskIndex, History> histories_;
  std::multimap<Instant, model::TaskIndex> pausing_;
  std::deque<model::TaskIndex> due_;  // those that are in due_tasks_; others are outdated
  model::RangeSet due_tasks_;
  model::RangeSet waiting_tasks_;
  model::RangeSet open_;
  model::RangeSet failed_;
  std::string example_given_up_;
};

}  // namespace evenkeel::engine
