#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "cluster/job_status.h"
#include "core/base/clock.h"
#include "core/base/time.h"
#include "kubernetes/object.h"
#include "operator/coordinator_link.h"
#include "operator/plan/plan.h"

namespace evenkeel::controller {

struct PollLimits {
  Duration shortest = std::chrono::milliseconds(500);
  Duration longest = std::chrono::seconds(5);
  Duration longest_after_failures = std::chrono::seconds(30);
  double polls_per_second = 10;         ///< of all jobs together, in the long run
  double urgent_polls_per_second = 50;  ///< of jobs that are to change their state
  std::size_t max_calls = 256;          ///< under way at a time
  std::size_t max_calls_per_namespace = 64;
};

/// The result of a poll.
struct PollResult {
  bool answered = false;
  std::optional<Duration> eta;  ///< the coordinator's estimate of the remaining time
  bool urgent = false;          ///< the coordinator is not yet in the state that it is to have
};

/// Decides when to poll which coordinator: often when its job has just begun, as a user may be
/// watching, when the job is about to end, and when the coordinator should change its state; less
/// often the more jobs there are and the more often the coordinator has failed to answer.
/// Namespaces share the rate and the calls equally, so that none can delay the others. Takes the
/// time as a parameter. Not thread-safe.
class PollSchedule {
 public:
  explicit PollSchedule(const PollLimits& limits) : limits_(limits) {}

  /// From now on this job is polled; the first time at once.
  void Add(const kube::ObjectKey& job, Instant now);
  void Remove(const kube::ObjectKey& job);
  /// Something happened: poll soon, though no sooner than `shortest` after the last time.
  void Hurry(const kube::ObjectKey& job, Instant now);

  /// A job that is due and within the limits of calls. It is not returned again before Done().
  [[nodiscard]] std::optional<kube::ObjectKey> Take(Instant now);
  void Done(const kube::ObjectKey& job, const PollResult& result, Instant now);

  /// When there is something to take; kNever while nothing waits or the limits are reached.
  [[nodiscard]] Instant NextDue() const;
  [[nodiscard]] std::size_t Size() const { return jobs_.size(); }

 private:
  struct Job {
    Instant added{};
    Instant due{};
    Instant polled = kLongAgo;
    bool in_flight = false;
    bool hurry = false;  // something happened while it was being polled
    bool urgent = false;
    std::int32_t failures = 0;  // in a row
  };
  struct Namespace {
    std::size_t jobs = 0;
    std::size_t calls = 0;
    std::set<std::pair<Instant, std::string>> waiting;  // names of jobs that are not in flight
  };
  static constexpr Instant kLongAgo = Instant(-std::chrono::hours(1));
  using Jobs = std::map<kube::ObjectKey, Job>;

  void SetDue(Jobs::iterator job, Instant due);
  void SetUrgent(Job& job, bool urgent);
  [[nodiscard]] Duration Pause(const kube::ObjectKey& key, const Job& job, const PollResult& result,
                               Instant now) const;
  [[nodiscard]] const std::pair<const std::string, Namespace>* Next() const;

  PollLimits limits_;
  Jobs jobs_;
  std::map<std::string, Namespace> namespaces_;
  std::size_t calls_ = 0;
  std::size_t urgent_ = 0;
};

/// The last answer of a job's coordinator.
struct CoordinatorObservation {
  std::string pod_uid;  ///< of the pod that answered
  cluster::Progress progress;
  Instant at{};
  std::shared_ptr<const std::string> snapshot;  ///< what it delivered; null: nothing yet
  std::optional<std::string> snapshot_refusal;  ///< it will not deliver one, and why
};

/// Brings coordinators to the state they are to have and observes how far they are, many at a time,
/// without ever holding a thread. Remembers the last answer of each. Thread-safe, but Start() and
/// Stop() are for one owner.
class CoordinatorPoller {
 public:
  using OnAnswer = std::function<void(const kube::ObjectKey& job)>;

  /// `on_answer` is called on a thread of the link after each answer. `link` and `clock` must
  /// outlive it.
  CoordinatorPoller(CoordinatorLink& link, const Clock& clock, const PollLimits& limits,
                    OnAnswer on_answer);
  CoordinatorPoller(const CoordinatorPoller&) = delete;
  CoordinatorPoller& operator=(const CoordinatorPoller&) = delete;
  ~CoordinatorPoller();

  void Start();
  /// Stops the link as well: no callback runs any more once this has returned.
  void Stop();

  /// This is where the coordinator of the job is and what it is to do; it is polled from now on.
  void Follow(const kube::ObjectKey& job, const CoordinatorAddress& coordinator,
              const plan::DesiredCoordinator& desired);
  /// It need not be polled any more; its last answer is kept.
  void Pause(const kube::ObjectKey& job);
  /// The job is gone.
  void Forget(const kube::ObjectKey& job);
  /// Something happened to its pods: poll soon.
  void Hurry(const kube::ObjectKey& job);

  [[nodiscard]] std::optional<CoordinatorObservation> Last(const kube::ObjectKey& job) const;

 private:
  /// One poll: reads the progress, then changes the state, reports kills of containers or fetches a
  /// snapshot if that is wanted.
  struct Poll {
    kube::ObjectKey job;
    CoordinatorAddress address;
    plan::DesiredCoordinator desired;
    std::size_t token = 0;  // index of the one in use
    CoordinatorObservation observation;
  };
  using PollPtr = std::shared_ptr<Poll>;

  struct Target {
    CoordinatorAddress address;
    plan::DesiredCoordinator desired;
  };

  void Run(const std::stop_token& stop);
  [[nodiscard]] PollPtr MakePoll(const kube::ObjectKey& job) const;
  void ReadProgress(const PollPtr& poll);
  void OnProgress(const PollPtr& poll, Result<ControlReply> reply);
  void ChangeState(const PollPtr& poll);
  void ReportContainerEnds(const PollPtr& poll, std::string report);
  /// A request that ends the poll, whatever the answer is.
  void Put(const PollPtr& poll, const ControlCall& call, bool urgent);
  void FetchSnapshot(const PollPtr& poll);
  void OnSnapshot(const PollPtr& poll, Result<ControlReply> reply);
  void Finish(const Poll& poll, bool answered, bool urgent);
  void Fail(const Poll& poll, const std::string& why);
  [[nodiscard]] ControlCall CallOf(const Poll& poll, std::string method, std::string path) const;

  CoordinatorLink& link_;
  const Clock& clock_;
  const OnAnswer on_answer_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  // All guarded by mutex_.
  PollSchedule schedule_;
  std::map<kube::ObjectKey, Target> targets_;
  std::map<kube::ObjectKey, CoordinatorObservation> observations_;

  std::jthread thread_;
};

}  // namespace evenkeel::controller
