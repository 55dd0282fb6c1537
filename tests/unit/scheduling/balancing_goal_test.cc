#include "core/scheduling/energy/balancing_goal.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/unit/scheduling/leases.h"

namespace evenkeel::scheduling {
namespace {

using Party = BalancingGoal::Party;

constexpr WorkerId kFrugal{0};
constexpr WorkerId kTwin{1};
constexpr WorkerId kDear{2};

Instant At(double second) { return Instant{} + FromSeconds(second); }

/// Two frugal workers with 4 units a second, a dear one with 2; 1,000 units; all together need
/// 100 s, and 150 are allowed, less the slack.
class SavingEnergy : public testing::Test {
 protected:
  SavingEnergy() {
    for (const double ratio : {4.0, 4.0, 2.0}) estimator_.AddWorker(ratio, 1);
    balancing_.objective = model::Objective::kEnergy;
    balancing_.energy.time_factor = 1.5;
  }
  void Begin() {
    goal_ = MakeGoal({costs_, estimator_, leases_, reservations_, balancing_});
    const model::NodePower power{10, 4};
    shares_ = goal_->Begin({{4, power}, {4, power}, {2, power}}, 1000, Instant{});
  }
  void Measure() {
    for (const WorkerId worker : {kFrugal, kTwin}) {
      estimator_.Observe(worker, 40, 40, std::chrono::seconds(10));
    }
    estimator_.Observe(kDear, 20, 20, std::chrono::seconds(10));
    goal_->Refresh(At(10));
  }
  [[nodiscard]] double Takes(Party thief, Party victim) {
    return goal_->MayTake(thief, victim, At(10));
  }

  model::UnitCosts costs_{1000};
  TimingEstimator estimator_{{}};
  Leases leases_{costs_};
  Reservations reservations_;
  model::BalancingSpec balancing_;
  std::unique_ptr<BalancingGoal> goal_;
  std::vector<double> shares_;
};

TEST_F(SavingEnergy, PlansTheFrugalFirst) {
  Begin();
  EXPECT_NEAR(shares_[0], 0.5, 1e-9);
  EXPECT_NEAR(shares_[1], 0.5, 1e-9);
  EXPECT_LT(shares_[2], 0.01);  // a few tasks, so that it is measured
}

TEST_F(SavingEnergy, AFrugalThiefTakesTasksThatItEndsInTime) {
  Begin();
  Measure();
  EXPECT_NEAR(ToSeconds(goal_->Limit() - Instant{}), 147, 1);
  EXPECT_NEAR(Takes({kFrugal, 4, At(20)}, {kDear, 2, At(60)}), 127 * 4, 4);
  EXPECT_NEAR(goal_->MayTakeAhead({kFrugal, 4, At(100)}, {kDear, 2, At(60)}, At(10)), 47 * 4, 4);
  EXPECT_EQ(goal_->MayTakeAhead({kFrugal, 4, At(145)}, {kDear, 2, At(60)}, At(10)), 0);
}

TEST_F(SavingEnergy, AnExpensiveThiefTakesOnlyTasksThatWouldBeLate) {
  Begin();
  Measure();
  EXPECT_LE(Takes({kDear, 2, At(20)}, {kFrugal, 4, At(140)}), 0);
  EXPECT_FALSE(goal_->MayHelp({kDear, 2, At(20)}, {kFrugal, 4, At(140)}));
  EXPECT_NEAR(Takes({kDear, 2, At(20)}, {kFrugal, 4, At(157)}), 10 * 4, 4);
  EXPECT_TRUE(goal_->MayHelp({kDear, 2, At(20)}, {kFrugal, 4, At(157)}));
}

TEST_F(SavingEnergy, EqualsFinishTogether) {
  Begin();
  Measure();
  EXPECT_DOUBLE_EQ(Takes({kFrugal, 4, At(20)}, {kTwin, 4, At(60)}), 40 * 2);
  EXPECT_EQ(goal_->MayTakeAhead({kFrugal, 4, At(20)}, {kTwin, 4, At(60)}, At(10)), 0);
}

TEST_F(SavingEnergy, NothingIsLateBeforeAnythingWasMeasured) {
  Begin();
  EXPECT_LE(Takes({kDear, 2, At(20)}, {kFrugal, 4, At(1e9)}), 0);
}

TEST_F(SavingEnergy, WhatIsSharedOutGoesToTheFrugal) {
  Begin();
  Measure();
  const auto weights =
      goal_->Weights({{kFrugal, 4, At(100)}, {kTwin, 4, At(147)}, {kDear, 2, At(10)}}, 200, At(10));
  EXPECT_NEAR(weights[0], 47 * 4, 6);
  EXPECT_NEAR(weights[1], 0, 6);
  EXPECT_NEAR(weights[2], 200 - 47 * 4, 8);
}

TEST_F(SavingEnergy, WithoutPowerAllFinishTogether) {
  goal_ = MakeGoal({costs_, estimator_, leases_, reservations_, balancing_});
  shares_ = goal_->Begin({{4}, {4}, {2}}, 1000, Instant{});
  EXPECT_DOUBLE_EQ(shares_[0] / shares_[2], 2);
  Measure();
  EXPECT_DOUBLE_EQ(Takes({kDear, 2, At(20)}, {kFrugal, 4, At(50)}), 30 * 8.0 / 6);
}

TEST_F(SavingEnergy, ObjectiveTimeHasNoLimit) {
  balancing_.objective = model::Objective::kTime;
  Begin();
  EXPECT_EQ(shares_, (std::vector<double>{4, 4, 2}));
  EXPECT_EQ(goal_->Limit(), Instant::min());
  EXPECT_FALSE(goal_->LooksAhead());
  EXPECT_DOUBLE_EQ(Takes({kDear, 2, At(20)}, {kFrugal, 4, At(50)}), 30 * 8.0 / 6);
}

}  // namespace
}  // namespace evenkeel::scheduling
