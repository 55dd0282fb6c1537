#include "core/scheduling/reservation.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/scheduling/pieces.h"

namespace evenkeel::scheduling {
namespace {

using model::IndexRange;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

using List = std::vector<IndexRange>;

TEST(Reservation, RangesGoFromTheFrontAndAreStolenFromTheBack) {
  const model::UnitCosts costs(100);
  Reservation reserved(costs, 2);
  reserved.Insert({{10, 20}, 0});
  EXPECT_EQ(Ranges(reserved.TakeNext(3, 0, kNoLimit)), (List{{10, 13}}));
  EXPECT_EQ(Ranges(reserved.TakeTail(2, 8)), (List{{18, 20}}));
  EXPECT_EQ(reserved.Tasks(), 5);
  EXPECT_EQ(reserved.CostSum(), 5);
}

TEST(Reservation, TasksOfASetAreTakenFromTheBackAndTheLargestHeavyOnesFirst) {
  const model::PrefixCosts costs({1, 1, 1, 1, 50, 1, 90, 30});
  Reservation reserved(costs, 10);
  reserved.Insert({{0, 8}, 0});
  model::RangeSet wanted({0, 3});
  wanted.Insert({4, 6});
  wanted.Insert({7, 20});
  EXPECT_EQ(reserved.Common(wanted).Size(), 6);
  EXPECT_EQ(reserved.Others(wanted).Ranges(), (List{{3, 4}, {6, 7}}));
  EXPECT_EQ(Ranges(reserved.TakeAmong(wanted, 35, 8)), (List{{5, 6}, {0, 3}, {7, 8}}));
  EXPECT_EQ(reserved.Tasks(), 3);
  EXPECT_EQ(reserved.CostSum(), 141);
  EXPECT_EQ(Ranges(reserved.TakeAmong(wanted, 1000, 8)), (List{{4, 5}}));
  EXPECT_TRUE(reserved.TakeAmong(wanted, 1000, 8).empty());
}

TEST(Reservation, OfASetTasksThatWereMovedTooOftenStay) {
  const model::UnitCosts costs(100);
  Reservation reserved(costs, 2);
  reserved.Insert({{0, 10}, 8});
  reserved.Insert({{10, 20}, 7});
  EXPECT_EQ(Ranges(reserved.TakeAmong(model::RangeSet({5, 15}), 100, 8)), (List{{10, 15}}));
  reserved.SetFromBack(true);
  EXPECT_EQ(Ranges(reserved.TakeAmong(model::RangeSet({0, 100}), 2, 100)), (List{{0, 2}}))
      << "what runs last";
}

TEST(Reservation, HeavyTasksGoFirstLargestFirst) {
  const model::PrefixCosts costs({1, 50, 1, 90, 1});
  Reservation reserved(costs, 10);
  reserved.Insert({{0, 5}, 0});
  EXPECT_EQ(Ranges(reserved.TakeNext(0, 3, 3)), (List{{3, 4}, {1, 2}, {0, 1}}));
  EXPECT_EQ(reserved.CostSum(), 2);
}

TEST(Reservation, TakesAtLeastAndAtMostSoMany) {
  const model::UnitCosts costs(100);
  Reservation reserved(costs, 2);
  reserved.Insert({{0, 50}, 0});
  EXPECT_EQ(Ranges(reserved.TakeNext(0, 2, kNoLimit)), (List{{0, 2}}));
  EXPECT_EQ(Ranges(reserved.TakeNext(kNoLimit, 0, 5)), (List{{2, 7}}));
  EXPECT_TRUE(reserved.TakeNext(0, 0, kNoLimit).empty());
  EXPECT_EQ(Ranges(reserved.TakeNext(kNoLimit, 0, kNoLimit)), (List{{7, 50}}));
  EXPECT_TRUE(reserved.Empty());
}

TEST(Reservation, TakesTheLargestThatIsAffordable) {
  const model::PrefixCosts costs({5, 50, 20});
  Reservation reserved(costs, 0);
  reserved.Insert({{0, 3}, 0});
  EXPECT_EQ(reserved.TakeLargest(49)->range, (IndexRange{2, 3}));
  EXPECT_EQ(reserved.TakeLargest(49)->range, (IndexRange{0, 1}));
  EXPECT_FALSE(reserved.TakeLargest(49));
}

TEST(Reservation, WithoutRangesTheShortTaskIsTheOneOfLeastCost) {
  const model::PrefixCosts costs({20, 50, 5});
  Reservation reserved(costs, 0);
  reserved.Insert({{0, 3}, 0});
  EXPECT_FALSE(reserved.TakeShort(4));
  EXPECT_EQ(reserved.TakeShort(50)->range, (IndexRange{2, 3}));
  EXPECT_EQ(reserved.CostSum(), 70);
}

TEST(Reservation, OfRangesTheShortTaskIsTheOneThatWouldRunLast) {
  const model::PrefixCosts costs({20, 50, 5, 6});
  Reservation reserved(costs, 50);
  reserved.Insert({{0, 4}, 0});
  EXPECT_FALSE(reserved.TakeShort(5));
  EXPECT_EQ(reserved.TakeShort(6)->range, (IndexRange{3, 4}));
}

TEST(Reservation, KnowsTheLargestTaskThatIsAffordable) {
  const model::PrefixCosts costs({5, 50, 20, 1});
  Reservation reserved(costs, 4);
  EXPECT_EQ(reserved.LargestHeavy(kNoLimit), 0);
  reserved.Insert({{0, 4}, 0});
  EXPECT_EQ(reserved.LargestHeavy(kNoLimit), 50);
  EXPECT_EQ(reserved.LargestHeavy(50), 50);
  EXPECT_EQ(reserved.LargestHeavy(49), 20);
  EXPECT_EQ(reserved.LargestHeavy(4), 0) << "the last task is not kept by itself";
  EXPECT_EQ(reserved.Tasks(), 4) << "nothing was taken";
}

TEST(Reservation, PiecesThatWereMovedOftenStay) {
  const model::UnitCosts costs(10);
  Reservation reserved(costs, 2);
  reserved.Insert({{0, 2}, 0});
  reserved.Insert({{2, 4}, 8});
  EXPECT_EQ(Ranges(reserved.TakeTail(10, 8)), (List{{0, 2}}));
  EXPECT_TRUE(reserved.TakeTail(10, 8).empty());
}

TEST(Reservation, NeighboursWithTheSameMovesJoin) {
  const model::UnitCosts costs(10);
  Reservation reserved(costs, 2);
  reserved.Insert({{0, 2}, 1});
  reserved.Insert({{4, 6}, 1});
  reserved.Insert({{2, 4}, 1});
  EXPECT_EQ(Ranges(reserved.TakeAll()), (List{{0, 6}}));
  EXPECT_TRUE(reserved.Empty());
}

TEST(Reservation, RemovesWhatIsThere) {
  const model::PrefixCosts costs({1, 50, 1, 1});
  Reservation reserved(costs, 10);
  reserved.Insert({{0, 3}, 0});
  EXPECT_EQ(reserved.Remove({1, 4}), 2);
  EXPECT_TRUE(reserved.Contains({0, 1}));
  EXPECT_FALSE(reserved.Contains({0, 2}));
  EXPECT_EQ(reserved.CostSum(), 1);
}

TEST(ReservationDeathTest, ATaskIsReservedOnce) {
  const model::PrefixCosts costs({1, 50});
  Reservation reserved(costs, 10);
  reserved.Insert({{0, 2}, 0});
  EXPECT_DEATH(reserved.Insert({{1, 2}, 0}), "reserved twice");
}

}  // namespace
}  // namespace evenkeel::scheduling
