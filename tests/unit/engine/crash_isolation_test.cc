#include "core/engine/crash_isolation.h"

#include <gtest/gtest.h>

namespace evenkeel::engine {
namespace {

using model::IndexRange;
using scheduling::WorkerId;
using Ranges = std::vector<IndexRange>;

constexpr WorkerId kA{0};
constexpr WorkerId kB{1};

class CrashIsolationTest : public testing::Test {
 protected:
  CrashIsolation isolation;
  CrashIsolationTest() {
    isolation.AddWorker();
    isolation.AddWorker();
  }
};

TEST_F(CrashIsolationTest, TheSecondDeathPointsAtSuspects) {
  EXPECT_TRUE(isolation.RecordDeath({{0, 10}}).empty());
  EXPECT_EQ(isolation.RecordDeath({{8, 20}}), (Ranges{{8, 10}}));
  EXPECT_TRUE(isolation.RecordDeath({{8, 10}}).empty()) << "suspects already";
  EXPECT_EQ(isolation.RecordDeath({{15, 30}}), (Ranges{{15, 20}}));
}

TEST_F(CrashIsolationTest, AClearedTaskNeedsTwoMoreDeaths) {
  (void)isolation.RecordDeath({{0, 2}});
  (void)isolation.RecordDeath({{0, 2}});
  isolation.Clear({0, 1});
  EXPECT_EQ(isolation.Suspects().Ranges(), (Ranges{{1, 2}}));
  EXPECT_TRUE(isolation.RecordDeath({{0, 1}}).empty());
  EXPECT_EQ(isolation.RecordDeath({{0, 1}}), (Ranges{{0, 1}}));
}

TEST_F(CrashIsolationTest, WaitingRangesAreHalvedAndCutToWhatIsStillSuspect) {
  (void)isolation.RecordDeath({{0, 8}});
  (void)isolation.RecordDeath({{0, 8}});
  isolation.Enqueue({0, 8});
  isolation.Halve({0, 8});
  EXPECT_EQ(isolation.WaitingCount(), 2U);
  isolation.Clear({1, 2});
  EXPECT_EQ(isolation.TakeNext(), (IndexRange{0, 1}));
  EXPECT_EQ(isolation.TakeNext(), (IndexRange{2, 4}));
  isolation.Clear({4, 8});
  EXPECT_EQ(isolation.WaitingCount(), 0U);
  EXPECT_FALSE(isolation.TakeNext());
}

TEST_F(CrashIsolationTest, OneTaskIsNotHalved) {
  (void)isolation.RecordDeath({{3, 4}});
  (void)isolation.RecordDeath({{3, 4}});
  isolation.Enqueue({3, 4});
  isolation.Halve({3, 4});
  EXPECT_EQ(isolation.WaitingCount(), 1U);
}

TEST_F(CrashIsolationTest, ALossRemembersWhatRanAlone) {
  isolation.Reserve(kA);
  isolation.Run(kA, {3, 4});
  isolation.NoteUnreachable(kA, {{3, 4}});
  isolation.Free(kA);
  EXPECT_TRUE(isolation.Reserved().empty());
  const auto loss = isolation.TakeLoss(kA);
  EXPECT_EQ(loss.isolated, (IndexRange{3, 4}));
  EXPECT_EQ(loss.leased, (Ranges{{3, 4}}));
  EXPECT_TRUE(isolation.TakeLoss(kA).leased.empty()) << "taken once";
}

TEST_F(CrashIsolationTest, WorkersAreReservedUntilTheyAreFreed) {
  isolation.Reserve(kB);
  isolation.Reserve(kA);
  EXPECT_EQ(isolation.Reserved(), (std::vector<WorkerId>{kB, kA}));
  isolation.Free(kB);
  EXPECT_FALSE(isolation.IsReserved(kB));
  EXPECT_TRUE(isolation.IsReserved(kA));
}

}  // namespace
}  // namespace evenkeel::engine
