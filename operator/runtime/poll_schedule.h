#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/time.h"
#include "operator/kube/object_meta.h"

namespace evenkeel::operating {

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

}  // namespace evenkeel::operating
