#include "core/scheduling/energy/balancing_goal.h"

#include <algorithm>

#include "core/scheduling/energy/energy_choice.h"
#include "core/scheduling/predicted_time.h"

namespace evenkeel::scheduling {
namespace {

/// Objective::kTime: a worker that runs dry helps the one with the latest finish.
class FinishTogether final : public BalancingGoal {
 public:
  std::vector<double> Begin(const std::vector<WorkerFacts>& workers, model::Cost,
                            Instant) override {
    std::vector<double> weights;
    for (const auto& worker : workers) weights.push_back(worker.ratio);
    return weights;
  }
  void AddWorker(const WorkerFacts&) override {}
  void Append(model::Cost) override {}
  void Refresh(Instant) override {}
  [[nodiscard]] Instant Limit() const override { return Instant::min(); }
  [[nodiscard]] bool MayHelp(const Party&, const Party&) const override { return true; }
  [[nodiscard]] double MayTake(const Party& thief, const Party& victim, Instant) const override {
    return ForBothToFinishTogether(thief, victim);
  }
  [[nodiscard]] bool LooksAhead() const override { return false; }
  [[nodiscard]] double MayTakeAhead(const Party&, const Party&, Instant) const override {
    return 0;
  }
  [[nodiscard]] std::vector<double> Weights(const std::vector<Party>& living, double,
                                            Instant) const override {
    std::vector<double> weights;
    for (const auto& party : living) weights.push_back(party.rate);
    return weights;
  }
};

/// Objective::kEnergy. Work goes to who needs fewer joules a unit, as far as it gets done within
/// the limit; the other way only what would not.
class SaveEnergy final : public BalancingGoal {
 public:
  explicit SaveEnergy(const StrategyContext& context)
      : estimator_(context.estimator),
        spec_(context.balancing.energy),
        left_out_ratio_(context.left_out_ratio) {}

  std::vector<double> Begin(const std::vector<WorkerFacts>& workers, model::Cost todo,
                            Instant now) override {
    start_ = now;
    todo_ = static_cast<double>(todo);
    for (const auto& worker : workers) AddWorker(worker);
    expected_ = workers.size();
    std::vector<double> rates;
    for (const auto& worker : workers) rates.push_back(worker.ratio);
    Answer(rates, now);
    // A worker without a share still runs a few tasks, because its weight may be wrong.
    for (double& share : shares_) share = std::max(share, kProbeShare);
    return shares_;
  }
  void AddWorker(const WorkerFacts& facts) override {
    workers_.push_back({std::max(facts.ratio, kLeastRatio), facts.power});
    joules_per_unit_.push_back(0);
    if (expected_ > 0) refresh_at_ = Instant::min();
  }
  void Append(model::Cost cost) override {
    todo_ += static_cast<double>(cost);
    refresh_at_ = Instant::min();
  }
  void Refresh(Instant now) override {
    if (now < refresh_at_ || !estimator_.AnyMeasured()) return;
    measured_ = true;
    std::vector<double> rates;
    for (std::uint32_t i = 0; i < workers_.size(); ++i) rates.push_back(estimator_.Rate({i}));
    Answer(rates, now);
  }
  [[nodiscard]] Instant Limit() const override { return limit_; }
  [[nodiscard]] bool MayHelp(const Party& thief, const Party& victim) const override {
    return !Dearer(thief, victim) || Late(victim);
  }
  [[nodiscard]] double MayTake(const Party& thief, const Party& victim,
                               Instant now) const override {
    const double together = ForBothToFinishTogether(thief, victim);
    if (Dearer(thief, victim)) {
      if (!Late(victim)) return 0;
      return std::min(together, ToSeconds(victim.finish - limit_) * victim.rate);
    }
    return Dearer(victim, thief) ? std::max(together, Room(thief, now)) : together;
  }
  // Else a dear node would go on for as long as its own share lasts.
  [[nodiscard]] bool LooksAhead() const override { return true; }
  [[nodiscard]] double MayTakeAhead(const Party& thief, const Party& victim,
                                    Instant now) const override {
    constexpr double kWorthAMove = 0.05;
    const double room = Room(thief, now);
    const bool much = room > kWorthAMove * ToSeconds(limit_ - now) * thief.rate;
    return much && Dearer(victim, thief) ? room : 0;
  }

  [[nodiscard]] std::vector<double> Weights(const std::vector<Party>& living, double cost,
                                            Instant now) const override {
    std::vector<double> joules;
    std::vector<double> room;
    std::vector<double> rates;
    for (const auto& party : living) {
      joules.push_back(joules_per_unit_[party.worker.value]);
      room.push_back(Room(party, now));
      rates.push_back(party.rate);
    }
    return FillCheapest(joules, room, rates, cost);
  }

 private:
  /// Predictions mean something only when something was measured.
  [[nodiscard]] bool Late(const Party& victim) const { return measured_ && victim.finish > limit_; }
  /// Cost that it can run within the limit beside its own work.
  [[nodiscard]] double Room(const Party& party, Instant now) const {
    if (!measured_) return 0;
    return std::max(0.0, ToSeconds(limit_ - std::max(party.finish, now)) * party.rate);
  }
  [[nodiscard]] bool Dearer(const Party& a, const Party& b) const {
    return joules_per_unit_[a.worker.value] >
           joules_per_unit_[b.worker.value] * (1 + kEnergyTolerance);
  }

  static constexpr double kLeastRatio = 1e-6;
  static constexpr double kProbeShare = 0.001;
  // With more workers the rates are read again only now and then.
  static constexpr std::size_t kWorkersForEachLook = 256;

  /// Limit, joules and shares at these rates.
  void Answer(const std::vector<double>& rates, Instant now) {
    std::vector<EnergyCandidate> candidates;
    double ratio = 0;
    double rate = 0;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      candidates.push_back({std::max(rates[i], kLeastRatio), workers_[i].power});
      if (i >= expected_) continue;  // what joined later was not counted on
      ratio += workers_[i].ratio;
      rate += candidates.back().ratio;
    }
    // Nodes without a worker have a weight only: assume that a unit of weight is worth the same
    // rate everywhere.
    const double rate_of_all = rate * (1 + left_out_ratio_ / ratio);
    LetTimePass(rate_of_all, now);
    auto question = AskForLeastEnergy(candidates, spec_);
    if (!question) return FinishTogetherInstead(rates, now);
    question->rate_of_all = rate_of_all;
    const auto answer = LeastEnergy(*question);
    shares_ = answer.shares;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      joules_per_unit_[i] = question->nodes[i].watts / question->nodes[i].rate;
    }
    // Where standing power makes it pay to end early, that is the limit.
    const bool early = spec_.standing_watts > 0;
    SetLimit(early ? answer.seconds / answer.fastest_seconds : question->time_factor, now);
  }
  /// Nobody's power is known: nothing is to be saved.
  void FinishTogetherInstead(const std::vector<double>& rates, Instant now) {
    shares_ = rates;
    SetLimit(1, now);
  }
  /// Updates the work that all nodes together could have done so far, and when they would finish. A
  /// node that slows down changes the future only.
  void LetTimePass(double rate_of_all, Instant now) {
    if (measured_) {
      const bool first = rate_of_all_ <= 0;
      could_be_done_ += first ? rate_of_all * ToSeconds(now - start_)
                              : rate_of_all_ * ToSeconds(now - looked_at_);
      rate_of_all_ = rate_of_all;
      looked_at_ = now;
    }
    if (could_be_done_ >= todo_ && could_be_done_ > 0) return;
    fastest_ = (now - start_) + PredictedTime((todo_ - could_be_done_) / rate_of_all);
  }
  void SetLimit(double time_factor, Instant now) {
    limit_ = start_ + PredictedTime(time_factor * ToSeconds(fastest_));
    const bool each_time = workers_.size() <= kWorkersForEachLook;
    refresh_at_ = each_time ? now : now + std::max(limit_ - now, Duration::zero()) / 64;
  }

  struct Worker {
    double ratio;
    std::optional<model::NodePower> power;
  };

  const TimingEstimator& estimator_;
  const model::EnergySpec spec_;
  const double left_out_ratio_;
  std::vector<Worker> workers_;
  std::vector<double> joules_per_unit_;  // on a common scale
  std::vector<double> shares_;
  bool measured_ = false;
  std::size_t expected_ = 0;  // of the workers, the first ones
  double todo_ = 0;           // cost
  double could_be_done_ = 0;  // of it, by all nodes together since the start
  double rate_of_all_ = 0;    // as last looked at, once something was measured
  Instant looked_at_{};
  Duration fastest_{};  // until all nodes together would be done
  Instant start_{};
  Instant limit_{};
  Instant refresh_at_{};
};

}  // namespace

double BalancingGoal::ForBothToFinishTogether(const Party& thief, const Party& victim) {
  return ToSeconds(victim.finish - thief.finish) * victim.rate * thief.rate /
         (victim.rate + thief.rate);
}

std::unique_ptr<BalancingGoal> MakeGoal(const StrategyContext& context) {
  if (context.balancing.objective == model::Objective::kEnergy) {
    return std::make_unique<SaveEnergy>(context);
  }
  return std::make_unique<FinishTogether>();
}

}  // namespace evenkeel::scheduling
