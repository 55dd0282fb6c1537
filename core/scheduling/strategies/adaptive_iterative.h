#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduling/shared_pool.h"
#include "core/scheduling/strategies/iteration_formulas.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// Rounds with a barrier, after each of which the next one is shared out by what a unit took each
/// worker, transfers and waiting included: Sanchez, Macias and Suarez, "Effective Load Balancing on
/// a LAN-WLAN Cluster" (formulas: iteration_formulas.h). A unit is a task.
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
