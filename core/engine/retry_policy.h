#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/time.h"
#include "core/model/index_range.h"
#include "core/model/task_policy.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// The job's policy for failed tasks: how often each failed and where, when it is
/// tried again, and where it must not be. The ledger has the states of the tasks; this class has
/// the order in which withheld tasks are placed. A task waits for the end of its pause, then it is
/// due; a due task for which no worker has room is parked until something changes. Memory grows
/// with the number of failed tasks. Not thread-safe.
class RetryPolicy {
 public:
  /// Maximum number of attempts of one task whose failures the exit code rules ignore.
  static constexpr std::int32_t kMaxIgnored = 1000;

  explicit RetryPolicy(const model::TaskPolicy& policy) : policy_(policy) {}

  enum class Verdict {
    kRetry,
    kRetryAlone,           ///< on the same node
    kRetryWithMostMemory,  ///< alone on the node whose tasks have the most memory
    kTaskFailed,
    kJobFailed
  };

  /// Counts a failed attempt on that node. Call RetryLater or Forget next, or isolate the task, as
  /// the verdict says. An attempt that ran out of memory is not charged: other tasks may have had
  /// the memory. The first one is followed by kRetryAlone, the second one by kRetryWithMostMemory,
  /// the third one is final.
  [[nodiscard]] Verdict CountFailure(model::TaskIndex index, const std::string& node,
                                     std::optional<std::int32_t> exit_code,
                                     bool out_of_memory = false);
  /// Failed attempts of the task so far, whether charged or ignored.
  [[nodiscard]] std::int32_t Failures(model::TaskIndex index) const;
  [[nodiscard]] bool FailedOn(model::TaskIndex index, const std::string& node) const;
  [[nodiscard]] bool FailedLastOn(model::TaskIndex index, const std::string& node) const;
  /// Nodes on which the task failed, the latest one last, each once. Valid until the next change.
  [[nodiscard]] const std::vector<std::string>& NodesOf(model::TaskIndex index) const;

  /// The task is due after an exponential pause: 100 ms, 200 ms, 400 ms, ... at most 60 s.
  void RetryLater(model::TaskIndex index, Instant now);
  /// The task is due at once, behind the others: the lease of its retry ended without a result.
  void RetryNow(model::TaskIndex index);
  /// The task is not due any more, because a run that was thought lost failed. False if it was not
  /// due.
  bool Withdraw(model::TaskIndex index);
  /// The tasks have a result or are given up.
  void Forget(model::IndexRange range);

  /// Makes the tasks due whose pause is over.
  void Update(Instant now);
  /// When the next pause ends; kNever if none.
  [[nodiscard]] Instant NextDue() const;
  /// Takes the next due task; nothing if none is due. Place it, Park it, or RetryNow it.
  [[nodiscard]] std::optional<model::TaskIndex> TakeDue();
  [[nodiscard]] bool AnyDue() const { return !due_.empty(); }
  /// No worker can take the task now.
  void Park(model::TaskIndex index);
  /// Number of entries of the parking queue, some of them possibly outdated.
  [[nodiscard]] std::size_t ParkedCount() const { return parked_.size(); }
  /// Takes the first parked task; nothing if none is parked.
  [[nodiscard]] std::optional<model::TaskIndex> TakeParked();
  /// A worker came or went: all parked tasks are due.
  void UnparkAll();

 private:
  struct History {
    std::int32_t charged = 0;
    std::int32_t ignored = 0;
    std::int32_t out_of_memory = 0;
    std::vector<std::string> nodes;
  };
  [[nodiscard]] std::optional<model::TaskIndex> TakeFrom(std::deque<model::TaskIndex>& queue);

  model::TaskPolicy policy_;
  std::map<model::TaskIndex, History> histories_;
  std::multimap<Instant, model::TaskIndex> pausing_;
  std::unordered_set<model::TaskIndex> waiting_;  // in pausing_
  std::unordered_set<model::TaskIndex>
      placeable_;  // in due_ or parked_; other entries are outdated
  std::deque<model::TaskIndex> due_;
  std::deque<model::TaskIndex> parked_;
};

}  // namespace evenkeel::engine
