#include "core/scheduling/reserved_pool.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/scheduling/leases.h"

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

  void LoseAndShareOut(WorkerId worker) {
    const auto pieces = pool.Lose(worker);
    pool.ShareOut(pieces, pool.EqualWeights());
  }

  model::UnitCosts costs{10};
  TimingEstimator estimator{TimingEstimator::Options{}};
  Leases leases{costs};
  StrategyContext context{costs, estimator, leases, {}};
  ReservedPool pool{context};
};

TEST_F(ReservedPoolTest, KnowsForWhomEachTaskWasPlanned) {
  EXPECT_DOUBLE_EQ(pool.PlannedShares()[0], 0.6);
  EXPECT_EQ(pool.PlanOf(7).worker, WorkerId{1});
  EXPECT_EQ(pool.PlanOf(2).until, 6);
  pool.Move({0}, {1}, pool.TakeTail({0}, 3, 8), Instant{});
  EXPECT_EQ(pool.PlanOf(5).worker, WorkerId{0}) << "a move does not change the plan";
  EXPECT_EQ(pool.Of({1}).Tasks(), 7);
}

TEST_F(ReservedPoolTest, TasksOfALostWorkerAreSharedOutAmongTheLiving) {
  LoseAndShareOut({0});
  EXPECT_FALSE(pool.Alive({0}));
  EXPECT_EQ(pool.NextAlive({1}), WorkerId{1});
  EXPECT_EQ(pool.Of({1}).Tasks(), 10);
}

TEST_F(ReservedPoolTest, WhileNobodyLivesTasksWaitForTheFirstThatComesBack) {
  LoseAndShareOut({0});
  LoseAndShareOut({1});
  EXPECT_FALSE(pool.AnyAlive());
  EXPECT_EQ(pool.Tasks(), 10);
  EXPECT_TRUE(pool.Contains({0, 10}));
  pool.Withdraw({2, 4});
  EXPECT_EQ(pool.Tasks(), 8);
  pool.Revive({1});
  EXPECT_EQ(pool.Of({1}).Tasks(), 8);
  EXPECT_TRUE(pool.Of({0}).Empty());
}

TEST_F(ReservedPoolTest, ReportsEachChangeOfAReservation) {
  std::vector<WorkerId> changed;
  pool.OnChange([&](WorkerId worker) { changed.push_back(worker); });
  pool.Withdraw({8, 9});
  EXPECT_EQ(changed, (std::vector<WorkerId>{{1}}));
  pool.Move({0}, {1}, pool.TakeTail({0}, 1, 8), Instant{});
  EXPECT_EQ(changed, (std::vector<WorkerId>{{1}, {0}, {1}}));
}

TEST_F(ReservedPoolTest, AnAppendedRangeMayBePlannedForNobody) {
  pool.PlanForNobody({10, 20});
  EXPECT_EQ(pool.PlanOf(9).until, 10);
  EXPECT_FALSE(pool.PlanOf(10).worker);
  EXPECT_EQ(pool.Tasks(), 10) << "it is kept elsewhere";
}

}  // namespace
}  // namespace evenkeel::scheduling
