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
  EXPECT_TRUE(isolation.RecordDeath({{0, 10}}, Death::kProcess).empty());
  EXPECT_EQ(isolation.RecordDeath({{8, 20}}, Death::kProcess), (Ranges{{8, 10}}));
  EXPECT_TRUE(isolation.RecordDeath({{8, 10}}, Death::kProcess).empty()) << "suspects already";
  EXPECT_EQ(isolation.RecordDeath({{15, 30}}, Death::kProcess), (Ranges{{15, 20}}));
}

TEST_F(CrashIsolationTest, AClearedTaskNeedsTwoMoreDeaths) {
  (void)isolation.RecordDeath({{0, 2}}, Death::kProcess);
  (void)isolation.RecordDeath({{0, 2}}, Death::kProcess);
  isolation.Clear({0, 1});
  EXPECT_EQ(isolation.Suspects().Ranges(), (Ranges{{1, 2}}));
  EXPECT_TRUE(isolation.RecordDeath({{0, 1}}, Death::kProcess).empty());
  EXPECT_EQ(isolation.RecordDeath({{0, 1}}, Death::kProcess), (Ranges{{0, 1}}));
}

TEST_F(CrashIsolationTest, TheThirdDeathOfANodePointsAtSuspects) {
  EXPECT_TRUE(isolation.RecordDeath({{0, 10}}, Death::kNode).empty());
  EXPECT_TRUE(isolation.RecordDeath({{5, 20}}, Death::kNode).empty()) << "all of a rack, perhaps";
  EXPECT_EQ(isolation.RecordDeath({{0, 7}, {15, 30}}, Death::kNode), (Ranges{{5, 7}}));
  EXPECT_EQ(isolation.RecordDeath({{5, 30}}, Death::kNode), (Ranges{{7, 10}, {15, 20}}));
  isolation.Clear({7, 10});
  EXPECT_TRUE(isolation.RecordDeath({{7, 10}}, Death::kNode).empty());
  EXPECT_TRUE(isolation.RecordDeath({{7, 10}}, Death::kNode).empty());
  EXPECT_EQ(isolation.RecordDeath({{7, 10}}, Death::kNode), (Ranges{{7, 10}}));
}

TEST_F(CrashIsolationTest, RestartsAloneAreKnownUntilTheTaskIsCleared) {
  EXPECT_FALSE(isolation.RecordRestartAlone(5));
  EXPECT_FALSE(isolation.RecordRestartAlone(6));
  EXPECT_TRUE(isolation.RecordRestartAlone(5));
  isolation.Clear({5, 6});
  EXPECT_FALSE(isolation.RecordRestartAlone(5));
  EXPECT_TRUE(isolation.RecordRestartAlone(6));
}

TEST_F(CrashIsolationTest, DeathsOfProcessesAndOfNodesAreCountedApart) {
  EXPECT_TRUE(isolation.RecordDeath({{0, 1}}, Death::kProcess).empty());
  EXPECT_TRUE(isolation.RecordDeath({{0, 1}}, Death::kNode).empty());
  EXPECT_TRUE(isolation.RecordDeath({{0, 1}}, Death::kNode).empty());
  EXPECT_EQ(isolation.RecordDeath({{0, 1}}, Death::kProcess), (Ranges{{0, 1}}));
  EXPECT_TRUE(isolation.RecordDeath({{0, 1}}, Death::kNode).empty()) << "a suspect already";
}

TEST_F(CrashIsolationTest, WhatAnUnreachableWorkerRanAloneIsHalved) {
  (void)isolation.RecordDeath({{0, 8}}, Death::kProcess);
  (void)isolation.RecordDeath({{0, 8}}, Death::kProcess);
  isolation.Run(kA, {0, 8});
  isolation.NoteUnreachable(kA, {{0, 8}});
  isolation.EnqueueAgain(kA, {0, 8});
  EXPECT_EQ(isolation.WaitingCount(), 2U);
  isolation.Clear({1, 2});
  EXPECT_EQ(isolation.TakeNext(kA), (IndexRange{0, 1}));
  EXPECT_EQ(isolation.TakeNext(kA), (IndexRange{2, 4}));
  isolation.Clear({4, 8});
  EXPECT_EQ(isolation.WaitingCount(), 0U);
  EXPECT_FALSE(isolation.TakeNext(kA));
}

TEST_F(CrashIsolationTest, WhatIsLeftOfARunAloneIsHalved) {
  (void)isolation.RecordDeath({{0, 8}}, Death::kProcess);
  (void)isolation.RecordDeath({{0, 8}}, Death::kProcess);
  isolation.Run(kA, {0, 8});
  isolation.NoteUnreachable(kA, {{3, 8}});
  isolation.EnqueueAgain(kA, {3, 8});
  EXPECT_EQ(isolation.TakeNext(kA), (IndexRange{3, 5}));
  EXPECT_EQ(isolation.TakeNext(kA), (IndexRange{5, 8}));
}

TEST_F(CrashIsolationTest, NothingElseIsHalved) {
  (void)isolation.RecordDeath({{0, 8}}, Death::kProcess);
  (void)isolation.RecordDeath({{0, 8}}, Death::kProcess);
  isolation.EnqueueAgain(kB, {0, 2});
  EXPECT_EQ(isolation.TakeNext(kA), (IndexRange{0, 2})) << "it ran in company";
  isolation.Run(kA, {3, 4});
  isolation.NoteUnreachable(kA, {{3, 4}});
  isolation.EnqueueAgain(kA, {3, 4});
  EXPECT_EQ(isolation.TakeNext(kA), (IndexRange{3, 4})) << "one task";
  isolation.Run(kB, {4, 8});
  isolation.EnqueueAgain(kB, {4, 8});
  EXPECT_EQ(isolation.TakeNext(kA), (IndexRange{4, 8})) << "given back in good order";
}

TEST_F(CrashIsolationTest, ATaskWithoutMemoryWaitsForItsWorker) {
  isolation.IsolateAt(kB, 7);
  EXPECT_TRUE(isolation.Suspects().Contains(7));
  EXPECT_FALSE(isolation.TakeNext(kA));
  EXPECT_EQ(isolation.First()->at->value, kB.value);
  EXPECT_EQ(isolation.TakeNext(kB), (IndexRange{7, 8}));
  isolation.IsolateAt(kB, 8);
  isolation.IsolateAt(kB, 9);
  isolation.Clear({8, 9});
  isolation.ReleaseFrom(kB);
  EXPECT_EQ(isolation.TakeNext(kA), (IndexRange{9, 10})) << "its worker is lost";
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
