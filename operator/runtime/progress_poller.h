#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "operator/runtime/coordinator_link.h"
#include "operator/runtime/poll_schedule.h"

namespace evenkeel::operating {

/// The last answer of a job's coordinator.
struct PolledProgress {
  std::string pod_uid;  ///< of the pod that answered
  api::Progress progress;
  Instant at{};
};

/// Asks coordinators how far they are, several at a time, and remembers the last answer of each.
/// Thread-safe, but Start() and Stop() are for one owner.
class ProgressPoller {
 public:
  using OnAnswer = std::function<void(const kube::ObjectKey& job)>;

  /// `on_answer` is called on the poller's threads after each answer. `link` and `clock` must
  /// outlive it.
  ProgressPoller(CoordinatorLink& link, const Clock& clock, const PollTimes& times,
                 OnAnswer on_answer);
  ProgressPoller(const ProgressPoller&) = delete;
  ProgressPoller& operator=(const ProgressPoller&) = delete;
  ~ProgressPoller();

  void Start(int threads);
  /// Ends the threads; waits for answers under way, a few seconds at most.
  void Stop();

  /// This is where the coordinator of the job is; it is asked from now on.
  void Follow(const kube::ObjectKey& job, const CoordinatorAddress& coordinator);
  /// It need not be asked any more; its last answer is kept.
  void Pause(const kube::ObjectKey& job);
  /// The job is gone.
  void Forget(const kube::ObjectKey& job);
  /// Something happened to its pods: ask soon.
  void Hurry(const kube::ObjectKey& job);

  [[nodiscard]] std::optional<PolledProgress> Last(const kube::ObjectKey& job) const;

 private:
  void Run(const std::stop_token& stop);
  void AskOne(const kube::ObjectKey& job, std::unique_lock<std::mutex>& lock);

  CoordinatorLink& link_;
  const Clock& clock_;
  const OnAnswer on_answer_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // All guarded by mutex_.
  PollSchedule schedule_;
  std::map<kube::ObjectKey, CoordinatorAddress> addresses_;
  std::map<kube::ObjectKey, PolledProgress> answers_;

  std::vector<std::jthread> threads_;
};

}  // namespace evenkeel::operating
