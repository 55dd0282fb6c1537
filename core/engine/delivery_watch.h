#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/engine/task_ledger.h"
#include "core/scheduling/timing_estimator.h"

namespace evenkeel::engine {

/// Measures how long tasks take from the decision to their start, and how many tasks a worker gets
/// through: what messages and data cost a worker beside the tasks themselves. A sample is the first
/// task of a grant to a worker with an idle thread, which starts when it has come. Not thread-safe.
class DeliveryWatch {
 public:
  using WorkerId = scheduling::WorkerId;

  /// Both outlive the watch.
  DeliveryWatch(const TaskLedger& ledger, scheduling::TimingEstimator& estimator)
      : ledger_(ledger), estimator_(estimator) {}

  /// The grants so far were sent, in one message to each worker.
  void NoteSent() { ++messages_; }
  /// The worker is about to be leased these tasks.
  void NoteGrant(WorkerId worker, model::IndexRange tasks, Instant now);
  /// The first task of the range started at that time.
  void NoteStart(WorkerId worker, model::IndexRange tasks, Instant started);
  /// The worker completed this number of tasks since the last call for it.
  void NoteCompleted(WorkerId worker, std::int64_t tasks, Instant now);

 private:
  /// The grant that a worker is measured with.
  struct Grant {
    model::TaskIndex first = 0;
    std::int64_t tasks = 0;  ///< in the same message
    Instant sent{};
    std::uint64_t message = 0;
  };
  struct State {
    std::optional<Grant> grant;
    std::optional<Instant> completed;  ///< time of the last call of NoteCompleted
  };
  [[nodiscard]] State& At(WorkerId worker);

  const TaskLedger& ledger_;
  scheduling::TimingEstimator& estimator_;
  std::vector<State> states_;
  std::uint64_t messages_ = 0;
};

}  // namespace evenkeel::engine
