#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduling/reserved_pool.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// A worker whose data travel over a medium that others may use as well.
struct MediumUser {
  double rate = 0;              ///< tasks per second that its threads compute, if data are there
  double transfer_seconds = 0;  ///< for which the data of a task occupy the medium
};

/// Tasks per second of each worker that make the most of `capacity` seconds of transfers per
/// second: the linear program "maximize the sum of x(i), where x(i) <= rate(i) and the sum of
/// x(i) transfer_seconds(i) <= capacity", a fractional knapsack (Dantzig 1957, "Discrete-Variable
/// Extremum Problems"): workers with the shortest transfers first.
[[nodiscard]] std::vector<double> DivideMedium(const std::vector<MediumUser>& users,
                                               double capacity);

/// Limits how often tasks are sent to workers whose transfers delay those of others.
///
/// On Wi-Fi or a hub, a transfer to a station with a slow link occupies the medium for long, and
/// all others wait (Heusse et al. 2003, "Performance Anomaly of 802.11b"). Delays do not show
/// whether a medium is shared. So where workers wait for data, a trial stops sending to the worker
/// with the longest transfers. If the others complete much more, each worker has the medium for
/// itself for some tasks, which shows how long its transfers take when undisturbed; then
/// DivideMedium limits all. If not, trials become rare: links that are not shared keep all that
/// they can carry.
///
/// Deterministic. Not thread-safe.
class MediumShares {
 public:
  /// Both outlive it.
  MediumShares(const StrategyContext& context, const ReservedPool& pool)
      : context_(context), pool_(pool) {}

  void AddWorkers(std::size_t count) { workers_.resize(workers_.size() + count); }
  /// Looks at what was completed; to be called before decisions. Returns whether limits have
  /// changed. O(workers) about once a second.
  bool Refresh(Instant now);
  /// When the worker may be sent its next tasks; nothing if it may be now.
  [[nodiscard]] std::optional<Instant> HeldUntil(WorkerId worker, Instant now) const;
  /// The worker is sent so many tasks now.
  void NoteGrant(WorkerId worker, std::int64_t tasks, Instant now) {
    workers_[worker.value].last_grant = now;
    workers_[worker.value].granted = tasks;
  }
  /// Tasks per second, > 0; nothing if there is no limit.
  [[nodiscard]] std::optional<double> Limit(WorkerId worker) const {
    return workers_[worker.value].limit;
  }

 private:
  enum class Phase : std::uint8_t {
    kFree,      ///< no limits
    kSettling,  ///< of a trial: tasks that were sent before still end
    kTrial,     ///< nothing is sent to the worker with the longest transfers
    kDraining,  ///< nothing is sent to any who use the medium, until they have no tasks
    kLearning,  ///< of those who use the medium only `learner_` is sent tasks
    kDivided,   ///< limits by DivideMedium
  };
  struct Worker {
    bool uses_medium = false;    ///< its data took a time when there were no limits
    std::int64_t tasks_run = 0;  ///< at the start of the window
    double completed = 0;        ///< tasks per second in the last window
    std::optional<double> limit{};
    Instant last_grant{};
    std::int64_t granted = 0;  ///< tasks, by the last grant
  };

  [[nodiscard]] bool IsLearning() const {
    return phase_ == Phase::kDraining || phase_ == Phase::kLearning;
  }
  /// Whether what is observed since the start of the window is enough. Without limits also notes
  /// who uses the medium.
  bool WindowEnds(Instant now);
  void StartWindow(Instant now);
  /// Computes what was completed in the window.
  void CloseWindow(Instant now);
  /// No worker that uses the medium has tasks.
  [[nodiscard]] bool Drained() const;
  /// Tasks in this window.
  [[nodiscard]] std::int64_t CompletedOf(std::size_t worker) const;
  /// Zeros for a worker that cannot work now or has not completed a task yet.
  [[nodiscard]] MediumUser UserOf(std::size_t worker) const;
  /// Workers that use the medium and can work, in the order of their numbers.
  [[nodiscard]] std::vector<std::size_t> Users() const;
  /// Workers that use the medium and have no limits completed much less than they compute.
  [[nodiscard]] bool UsersWait() const;
  void HoldAll();
  // Each of these returns whether limits have changed.
  bool BeginTrial();
  bool EndTrial(Instant now);
  bool Drain();
  bool LearnNext();
  bool Divide();
  bool Adjust(Instant now);
  bool SetLimits();
  bool DropLimits(Instant now);

  const StrategyContext& context_;
  const ReservedPool& pool_;
  std::vector<Worker> workers_;
  Phase phase_ = Phase::kFree;
  std::optional<Instant> window_start_;
  Instant next_look_{};
  double completed_ = 0;         // tasks per second of those who use the medium, in the last window
  double completed_before_ = 0;  // in the window before
  double baseline_ = 0;          // without limits
  std::size_t baseline_users_ = 0;
  Instant next_trial_{};
  Duration between_trials_{};
  std::vector<std::size_t> to_learn_;  // the next one is at the end
  std::size_t learner_ = 0;
  double capacity_ = 0;  // that is divided, in seconds of transfers per second
  int bad_windows_ = 0;  // in a row
};

}  // namespace evenkeel::scheduling
