#include "core/scheduling/reserved_pool.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/scheduling/costs_in_use.h"
#include "tests/unit/scheduling/leases.h"
#include "tests/unit/scheduling/pieces.h"

namespace evenkeel::scheduling {
namespace {

using model::IndexRange;
using model::RangeSet;

class ReservedPoolTest : public testing::Test {
 protected:
  ReservedPoolTest() {
    pool.AddWorkers(2);
    pool.Plan({RangeSet(IndexRange{0, 6}), RangeSet(IndexRange{6, 10})});
  }

  model::UnitCosts costs{10};
  TimingEstimator estimator{TimingEstimator::Options{}};
  Leases leases{costs};
  Reservations reservations;
  StrategyContext context{costs, estimator, leases, reservations, {}};
  ReservedPool pool{context};
};

/// Three workers with a third of 30 tasks each.
class HeldDataTest : public testing::Test {
 protected:
  HeldDataTest() {
    pool.AddWorkers(3);
    pool.Plan({RangeSet({0, 10}), RangeSet({10, 20}), RangeSet({20, 30})});
  }

  model::UnitCosts costs{30};
  TimingEstimator estimator{TimingEstimator::Options{}};
  Leases leases{costs};
  Reservations reservations;
  DataHolders holders;
  const StrategyContext context{costs,
                                estimator,
                                leases,
                                reservations,
                                {},
                                true,
                                std::chrono::milliseconds(1),
                                std::chrono::seconds(1),
                                0,
                                1,
                                holders};
  ReservedPool pool{context};
};

TEST_F(HeldDataTest, AWorkerGetsTheTasksWhoseDataItHasAndGivesAsManyOthers) {
  holders.Add({0}, {5, 15});
  holders.Add({0}, {25, 28});
  pool.GatherHeld({0});
  EXPECT_EQ(pool.Of({0}).Common(holders.Of({0})).Size(), 10) << "its share is full";
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pool.Of({i}).Tasks(), 10);
    EXPECT_EQ(reservations.Of({i}).Size(), 10);
    EXPECT_EQ(pool.Of({i}).Common(reservations.Of({i})).Size(), 10);
  }
  EXPECT_EQ(reservations.All(), RangeSet(IndexRange{0, 30}));
  std::vector<Decision> decisions;
  pool.TakeMoves(decisions);
  EXPECT_TRUE(decisions.empty()) << "a change of the plan is no theft";
}

TEST_F(HeldDataTest, WhatTheOtherHasTooStaysThere) {
  holders.Add({0}, {10, 13});
  holders.Add({1}, {10, 12});
  pool.GatherHeld({0});
  EXPECT_TRUE(reservations.Of({1}).Contains(IndexRange{10, 12}));
  EXPECT_TRUE(reservations.Of({0}).Contains(model::TaskIndex{12}));
}

TEST_F(HeldDataTest, WhatIsGivenInReturnIsWhatTheOtherHas) {
  holders.Add({0}, {10, 12});
  holders.Add({1}, {3, 5});
  pool.GatherHeld({0});
  EXPECT_TRUE(reservations.Of({1}).Contains(IndexRange{3, 5}));
  EXPECT_TRUE(reservations.Of({0}).Contains(IndexRange{10, 12}));
}

TEST_F(HeldDataTest, AThiefTakesWhatItHasFirstAndWhatTheVictimHasLast) {
  holders.Add({0}, {12, 14});
  holders.Add({1}, {16, 20});
  EXPECT_EQ(Ranges(pool.TakeTailFor({0}, {1}, 1, 8)), (std::vector<IndexRange>{{13, 14}}));
  EXPECT_EQ(Ranges(pool.TakeTailFor({0}, {1}, 4, 8)),
            (std::vector<IndexRange>{{12, 13}, {14, 16}, {11, 12}}));
  EXPECT_EQ(Ranges(pool.TakeTailFor({0}, {1}, 2, 8)),
            (std::vector<IndexRange>{{10, 11}, {19, 20}}));
  EXPECT_EQ(pool.TakeLargestFor({2}, {1}, 1)->range, (IndexRange{16, 17})) << "it has none";
  holders.Add({2}, {18, 19});
  EXPECT_EQ(pool.TakeLargestFor({2}, {1}, 1)->range, (IndexRange{18, 19}));
}

TEST_F(HeldDataTest, LostWorkersAreLeftOut) {
  holders.Add({0}, {20, 30});
  (void)pool.Lose({2});
  pool.GatherHeld({0});
  EXPECT_EQ(reservations.Of({0}), RangeSet(IndexRange{0, 10}));
}

TEST_F(ReservedPoolTest, EntersReservationsAndMovesInTheLedger) {
  EXPECT_EQ(reservations.Of({0}), RangeSet(IndexRange{0, 6}));
  pool.Move({0}, {1}, pool.TakeTail({0}, 3, 8));
  EXPECT_EQ(reservations.Of({0}), RangeSet(IndexRange{0, 3}));
  EXPECT_EQ(reservations.Of({1}), RangeSet(IndexRange{3, 10}));
  EXPECT_EQ(pool.Of({1}).Tasks(), 7);
  std::vector<Decision> decisions;
  pool.TakeMoves(decisions);
  ASSERT_EQ(decisions.size(), 1U);
  const auto& move = std::get<MoveDecision>(decisions[0]);
  EXPECT_EQ(move.from, WorkerId{0});
  EXPECT_EQ(move.to, WorkerId{1});
  EXPECT_EQ(move.tasks, 3);
  decisions.clear();
  pool.TakeMoves(decisions);
  EXPECT_TRUE(decisions.empty()) << "each move once";
}

TEST(ReservedPool, CountsAnewWhenCostsHaveChanged) {
  const model::PrefixCosts declared({1, 1, 1, 97});
  CostsInUse costs(declared);
  TimingEstimator estimator{TimingEstimator::Options{}};
  Leases leases(costs);
  Reservations reservations;
  const StrategyContext context{costs, estimator, leases, reservations, {}};
  ReservedPool pool(context);
  pool.SetHeavyCost(0);
  pool.AddWorkers(2);
  pool.Plan({RangeSet(IndexRange{0, 1}), RangeSet(IndexRange{1, 4})});
  ASSERT_EQ(pool.Of({1}).CostSum(), 99);
  costs.CountEqually(25);
  EXPECT_FALSE(costs.Known());
  EXPECT_EQ(costs.Longest(), 25);
  std::vector<WorkerId> changed;
  pool.OnChange([&](WorkerId worker) { changed.push_back(worker); });
  pool.Recount();
  EXPECT_EQ(pool.Of({0}).CostSum(), 25);
  EXPECT_EQ(pool.Of({1}).CostSum(), 75);
  EXPECT_EQ(changed.size(), 2U);
  EXPECT_EQ(reservations.Of({1}), RangeSet(IndexRange{1, 4})) << "for whom is unchanged";
  EXPECT_EQ(pool.TakeNext({1}, 0, 1, 1).at(0).range, (IndexRange{1, 2})) << "not the largest";
}

TEST_F(ReservedPoolTest, TakenTasksStayReservedUnlessTakenUnreserved) {
  (void)pool.TakeNext({0}, 2, 0, 2);
  EXPECT_EQ(reservations.Of({0}), RangeSet(IndexRange{0, 6}));
  EXPECT_EQ(pool.UnreserveAll({1}).size(), 1U);
  EXPECT_TRUE(reservations.Of({1}).Empty());
}

TEST_F(ReservedPoolTest, TasksOfALostWorkerAreSharedOutAmongTheLiving) {
  pool.LoseAndShareOut({0});
  EXPECT_FALSE(pool.Alive({0}));
  EXPECT_EQ(pool.NextAlive({1}), WorkerId{1});
  EXPECT_EQ(pool.Of({1}).Tasks(), 10);
}

TEST_F(ReservedPoolTest, WithoutWorkersTasksWaitForTheFirstThatReconnects) {
  pool.LoseAndShareOut({0});
  pool.LoseAndShareOut({1});
  EXPECT_FALSE(pool.AnyAlive());
  EXPECT_EQ(pool.Tasks(), 10);
  EXPECT_TRUE(pool.Contains({0, 10}));
  EXPECT_TRUE(reservations.All().Empty()) << "no worker to reserve them for";
  pool.Withdraw({2, 4});
  EXPECT_EQ(pool.Tasks(), 8);
  pool.Revive({1});
  EXPECT_EQ(pool.Of({1}).Tasks(), 8);
  EXPECT_EQ(reservations.Of({1}).Size(), 8);
  EXPECT_TRUE(pool.Of({0}).Empty());
}

TEST_F(ReservedPoolTest, ReportsEachChangeOfAReservation) {
  std::vector<WorkerId> changed;
  pool.OnChange([&](WorkerId worker) { changed.push_back(worker); });
  pool.Withdraw({8, 9});
  EXPECT_EQ(changed, (std::vector<WorkerId>{{1}}));
  pool.Move({0}, {1}, pool.TakeTail({0}, 1, 8));
  EXPECT_EQ(changed, (std::vector<WorkerId>{{1}, {0}, {1}}));
}

TEST_F(ReservedPoolTest, ReturnedTasksGoToTheNextLivingWorkerOrWait) {
  (void)pool.TakeNext({0}, 2, 0, 2);
  reservations.Unreserve({0, 2});
  pool.InsertAtNext({0}, {0, 1});
  EXPECT_EQ(reservations.Of({1}).Size(), 5);
  pool.LoseAndShareOut({0});
  pool.LoseAndShareOut({1});
  pool.InsertAtNext({0}, {1, 2});
  EXPECT_EQ(pool.Tasks(), 10);
  EXPECT_TRUE(reservations.All().Empty());
}

}  // namespace
}  // namespace evenkeel::scheduling
