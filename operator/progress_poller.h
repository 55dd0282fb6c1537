#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/time.h"
#include "kubernetes/object.h"
#include "operator/coordinator_link.h"

namespace evenkeel::controller {

struct PollTimes {
  Duration shortest = std::chrono::milliseconds(500);
  Duration longest = std::chrono::seconds(5);
  double polls_per_second = 10;  ///< of all jobs together, in the long run
};

/// When to ask which coordinator how far it is: often when its job has just begun, as somebody may
/// be watching, and when it is about to end, so that the end is noticed soon; the more seldom the
/// more jobs there are. Told the time, so it runs under a virtual clock. Not thread-safe.
class PollSchedule {
 public:
  explicit PollSchedule(const PollTimes& times) : times_(times) {}

  /// From now on this job is to be asked; the first time at once.
  void Add(const kube::ObjectKey& job, Instant now);
  void Remove(const kube::ObjectKey& job);
  /// Something happened: ask soon, though no sooner than `shortest` after the last time.
  void Hurry(const kube::ObjectKey& job, Instant now);

  /// A job that is due. It is not handed out again before Done().
  [[nodiscard]] std::optional<kube::ObjectKey> Take(Instant now);
  /// It was asked; `eta` is what it said of its end, if it did.
  void Done(const kube::ObjectKey& job, std::optional<Duration> eta, Instant now);

  /// When there is something to take; kNever while nothing waits.
  [[nodiscard]] Instant NextDue() const;
  [[nodiscard]] std::size_t Size() const { return jobs_.size(); }

 private:
  struct Job {
    Instant added{};
    Instant due{};
    Instant asked = kLongAgo;
    bool in_flight = false;
    bool hurry = false;  // something happened while it was being asked
  };
  static constexpr Instant kLongAgo = Instant(-std::chrono::hours(1));
  using Jobs = std::map<kube::ObjectKey, Job>;

  void SetDue(Jobs::iterator job, Instant due);
  [[nodiscard]] Duration Pause(Duration age, std::optional<Duration> eta) const;

  PollTimes times_;
  Jobs jobs_;
  std::set<std::pair<Instant, kube::ObjectKey>> waiting_;  // those not in flight, by time
};

/// The last answer of a job's coordinator.
struct PolledProgress {
  std::string pod_uid;  ///< of the pod that answered
  cluster::Progress progress;
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

}  // namespace evenkeel::controller
