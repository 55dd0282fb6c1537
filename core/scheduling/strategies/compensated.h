#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/scheduling/reserved_pool.h"

/// Compensated, and how much load to send to others when sending takes time: the formulas of
/// Mirtaheri's thesis on load balancing with a compensating factor, with its numbers. Loads are
/// tasks, speeds tasks a second, times seconds. Equations (3-31), (3-37) and (3-43) say what each
/// selection makes equal or smallest.
namespace evenkeel::scheduling {

/// L_ex of each node: what it has above its share by speed, of all nodes looked at, (3-3) and for a
/// node's neighbours and itself (3-12). Below 0: it could take so much. Sums to 0. `speeds` > 0.
[[nodiscard]] std::vector<double> ExcessLoads(const std::vector<double>& loads,
                                              const std::vector<double>& speeds);

/// L_l of (3-7): what node `from` sends to each other node, floor(p_l L_ex), with p_l from (3-8) in
/// the ratio of what the underloaded could take; 0 for the others, and all 0 if `from` has nothing
/// above its share.
[[nodiscard]] std::vector<double> LoadsToSend(const std::vector<double>& excess, std::size_t from);

/// A load on its way from node r to node l.
struct LoadTransfer {
  double load = 0;          ///< L, > 0, as LoadsToSend has it
  double source_speed = 0;  ///< lambda_r
  double target_speed = 0;  ///< lambda_l
  double link_speed = 0;    ///< lambda_rl
  double dry_after = 0;     ///< T_l, when the target runs dry without it, (3-24)
};

/// Which idle time counts how.
enum class CompensationSelection {
  kFirst,   ///< the target waits as long as the source works on alone, (3-33)
  kSecond,  ///< least sum of squared idle times, (3-39)
  kThird,   ///< least sum of squared work lost in them, (3-45)
};

/// k, of which k L is sent instead of L: from T_l / t to 1, with t = L / lambda_rl; 1 if the load
/// arrives before the target runs dry.
[[nodiscard]] double CompensatingFactor(CompensationSelection selection,
                                        const LoadTransfer& transfer);

/// Diffusion of load with a compensating factor (S. L. Mirtaheri's thesis on distributed load
/// balancing, 004_, chapter 3): a worker that gets more load compares what it and its neighbours
/// have with what their speeds stand for, (3-12), and sends each of those that could take more k
/// times the part p of what it has too much, (3-7), (3-13). k < 1 makes up for the time of the
/// transfer, (3-33), (3-39), (3-45), or is given. The sender decides, once for each load that comes
/// (one-shot), on what it knows of the others: their last reports, aged by L - lambda dt.
///
/// All that a worker has is leased to it at once. A task counts as its cost, 1 if that is unknown.
/// Tasks begin where the context says, others are shared out by weight; what is appended comes in
/// where it is placed, else at the first worker, and what a lost worker leaves at the next one. No
/// more is sent on than has just come. k is 1 while no speed is known, or none of the link's.
class Compensated final : public Strategy {
 public:
  explicit Compensated(const StrategyContext& context) : context_(context), pool_(context_) {}

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void OnTasksAvailable(const TasksAvailable& tasks, Instant now) override;
  void OnTasksTaken(model::IndexRange range) override { pool_.Withdraw(range); }
  void OnWorkerEvent(const WorkerEvent& event, Instant) override { pool_.Apply(event); }
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;

 private:
  /// Load that was sent and has perhaps not come yet.
  struct UnderWay {
    Instant arrives;
    double load;
  };

  void Append(model::IndexRange range);
  void Return(WorkerId from, model::IndexRange range);
  [[nodiscard]] bool Usable(WorkerId worker) const { return pool_.Usable(worker, context_.leases); }
  /// The worker sends on part of what is reserved for it.
  void Balance(WorkerId sender, Instant now);
  /// The sender first, then those it may send to.
  [[nodiscard]] std::vector<WorkerId> Neighbourhood(WorkerId sender) const;
  /// The current load of the worker, load under way to it included.
  [[nodiscard]] double LoadOf(WorkerId worker, Instant now) const;
  [[nodiscard]] double LoadUnderWay(WorkerId worker, Instant now) const;
  /// T of (3-24), seconds from now: when it runs dry, of all that arrives within `until` seconds.
  [[nodiscard]] double DryAfter(WorkerId worker, double until, Instant now) const;
  /// lambda_rl in units of load; nothing if it is not known.
  [[nodiscard]] std::optional<double> LinkSpeed(WorkerId from, WorkerId to) const;
  /// k for sending so much of what the sender has too much.
  [[nodiscard]] double Factor(WorkerId from, WorkerId to, double load, Instant now) const;
  void Send(WorkerId from, WorkerId to, double load, Instant now);

  StrategyContext context_;
  ReservedPool pool_;
  std::map<WorkerId, std::vector<UnderWay>> under_way_;  // by target
  std::set<WorkerId> loaded_;                            // have new load, and have not sent of it
};

}  // namespace evenkeel::scheduling
