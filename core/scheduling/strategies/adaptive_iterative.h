#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduling/shared_pool.h"
#include "core/scheduling/strategy.h"

/// AdaptiveIterative and its arithmetic: D. Sanchez, E. Macias and A. Suarez, "Effective Load
/// Balancing on a LAN-WLAN Cluster", section 3. Times are seconds.
namespace evenkeel::scheduling {

/// Measured times of process p in iteration j.
struct IterationTimes {
  double n_unit = 0;  ///< units that it was sent, > 0
  /// t_exe: from the moment in which the iteration's first data leave the master until the results
  /// of p are there; so waiting for the others' data and both transfers are in it. > 0.
  double t_exe = 0;
  double t_calc = 0;  ///< what p itself spent calculating, >= 0
};

/// Time per unit of a process (section 3.2).
enum class UnitTime {
  /// t_calc_unit + t_comm_unit with t_calc_unit = t_calc / n_unit and
  /// t_comm_unit = (t_exe - t_calc) / n_unit, as published.
  kWithCommunication,
  /// t_calc_unit alone: the authors' earlier mechanism, against which they compare.
  kCalculationOnly,
};

/// n_unit(j+1) of each process, not rounded (section 3.2):
///   n_unit(j+1)(p) = mean over all processes of t_exe(j) / (t_calc_unit(p) + t_comm_unit(p)).
/// With kCalculationOnly both times are t_calc's.
[[nodiscard]] std::vector<double> NextUnits(const std::vector<IterationTimes>& times,
                                            UnitTime unit_time);

/// perf_f(j)(p) = n_unit(j)(p) / t_exe(j)(p) (section 3.3): data go out to the largest one first.
[[nodiscard]] double PerformanceFactor(const IterationTimes& times, UnitTime unit_time);

/// `units` (positive sum) made smaller in proportion, so that their sum is `rest`, which is not
/// larger than their sum now: prefix sums in proportion, rounded up, so that the remainder goes
/// to the first. For the last iteration, of which the paper says nothing.
[[nodiscard]] std::vector<std::int64_t> ScaledTo(std::int64_t rest,
                                                 const std::vector<std::int64_t>& units);

/// Rounds with a barrier, after each of which the next one is shared out by what a unit took each
/// worker, transfers and waiting included: Sanchez, Macias and Suarez, "Effective Load Balancing on
/// a LAN-WLAN Cluster" (formulas above). A unit is a task.
///
/// As published: the first round is shared out equally; then n_unit(j+1); the largest perf_f is
/// sent its data first; a worker that would be sent nothing is dropped; workers that join take part
/// from the next round on.
///
/// The paper leaves details open. Here n_unit is rounded to the nearest whole number
/// and 0 is nothing; the first round hands out 1 in `rounds` of the tasks; a worker that
/// joins is sent as many units as the one with the fewest, because an overloaded worker holds
/// up all, an underloaded one only itself; the last round, where fewer units are left, is in
/// proportion to n_unit and says nothing about the next; a worker that is lost, or whose tasks come
/// back, is waited for no longer and not measured; if no other worker is left, those that were
/// dropped are taken back, because a job advances while one worker lives; units that are appended
/// are there for the next round. The published master calculates while it waits; here the
/// coordinator is a process of its own, and a worker on its node is one like all others.
class AdaptiveIterative final : public Strategy {
 public:
  explicit AdaptiveIterative(const StrategyContext& context);

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void OnTasksAvailable(const TasksAvailable& tasks, Instant now) override;
  void OnTasksTaken(model::IndexRange range) override { pool_.Withdraw(range); }
  void OnWorkerEvent(const WorkerEvent& event, Instant now) override;
  /// Shows the first kMaxShownRounds rounds; no master, for all compute.
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;

  static constexpr int kMaxShownRounds = 256;

 private:
  struct Member {
    bool in_round = false;   ///< has units of this round and has not brought them all
    bool disturbed = false;  ///< some of its units came back: nothing can be learned
    bool dropped = false;
    std::int64_t units = 0;               ///< n_unit of the round
    double busy_before = 0;               ///< seconds calculating, when the round began
    std::optional<IterationTimes> times;  ///< of the round, once it is through
    std::int64_t next_units = 0;          ///< n_unit of the next round; 0: nothing is known of it
    double perf_f = 0;
  };

  /// Notes the times of a worker that has brought all units of its round.
  void Measure(WorkerId worker, Instant now);
  [[nodiscard]] bool RoundRuns() const;
  void CloseRound(Instant now, std::vector<Decision>& decisions);
  void OpenRound(Instant now, std::vector<Decision>& decisions);
  /// n_unit of the next round for all that were measured in this one.
  void Learn();
  [[nodiscard]] bool Usable(WorkerId worker) const {
    return live_.Alive(worker) && context_.leases.Connected(worker);
  }
  /// False while one of the expected workers may still come, so that the first round is for all.
  [[nodiscard]] bool Complete() const;
  /// The workers of the next round, in the order in which they are sent their data.
  [[nodiscard]] std::vector<WorkerId> Participants();
  [[nodiscard]] std::vector<std::int64_t> UnitsOf(const std::vector<WorkerId>& participants) const;

  StrategyContext context_;
  SharedPool pool_;
  LiveWorkers live_;
  UnitTime unit_time_;
  std::vector<Member> members_;
  std::int64_t first_units_ = 1;
  int round_ = 0;
  bool open_ = false;  // a round has begun and was not closed
  bool rest_ = false;  // it is the last one, smaller than planned
  Instant round_start_{};
};

}  // namespace evenkeel::scheduling
