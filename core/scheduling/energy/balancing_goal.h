#pragma once

#include <memory>
#include <vector>

#include "core/base/time.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// The goal of a strategy that moves work: the planned share of each worker, and how much one
/// worker may take from another. The strategy decides how and when. Costs are in the job's units,
/// rates in units a second (while nothing was measured both rates and times are on the scale of the
/// ratios). Not thread-safe.
class BalancingGoal {
 public:
  /// A worker as things stand.
  struct Party {
    WorkerId worker;
    double rate = 1;
    Instant finish{};  ///< when it will be through with what it has
  };

  virtual ~BalancingGoal() = default;

  /// Once, before anything else: as Strategy::Start, with the cost of all that is to be done.
  /// Returns the weights by which it is partitioned.
  [[nodiscard]] virtual std::vector<double> Begin(const std::vector<WorkerFacts>& workers,
                                                  model::Cost todo, Instant now) = 0;
  virtual void AddWorker(const WorkerFacts& facts) = 0;
  /// The job grew by this cost.
  virtual void Append(model::Cost cost) = 0;
  /// Reads the estimator again if the last time was long enough ago. O(workers) then.
  virtual void Refresh(Instant now) = 0;

  /// When the job is to be done: it may last until then without anybody having to help.
  [[nodiscard]] virtual Instant Limit() const = 0;
  /// Whether the thief may take anything of what the victim has.
  [[nodiscard]] virtual bool MayHelp(const Party& thief, const Party& victim) const = 0;
  /// How much; nothing if it is not above 0.
  [[nodiscard]] virtual double MayTake(const Party& thief, const Party& victim,
                                       Instant now) const = 0;
  /// Whether there is ever anything to take before the thief runs dry. If so, some workers may well
  /// end before others.
  [[nodiscard]] virtual bool LooksAhead() const = 0;
  /// As MayTake, of a thief that still has work.
  [[nodiscard]] virtual double MayTakeAhead(const Party& thief, const Party& victim,
                                            Instant now) const = 0;
  /// Weights for sharing out `cost` among the living.
  [[nodiscard]] virtual std::vector<double> Weights(const std::vector<Party>& living, double cost,
                                                    Instant now) const = 0;

 protected:
  /// The cost x after whose move both finish together: x / thief = gap - x / victim.
  [[nodiscard]] static double ForBothToFinishTogether(const Party& thief, const Party& victim);
};

/// The one that `context.balancing.objective` names.
[[nodiscard]] std::unique_ptr<BalancingGoal> MakeGoal(const StrategyContext& context);

}  // namespace evenkeel::scheduling
