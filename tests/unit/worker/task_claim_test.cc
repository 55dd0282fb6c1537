#include "worker/task_claim.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace evenkeel::worker {
namespace {

using model::IndexRange;

TEST(TaskClaim, EachTaskCanBeClaimedOnce) {
  TaskClaim claim;
  claim.Reset({7, 9});
  EXPECT_TRUE(claim.ClaimNext());
  EXPECT_TRUE(claim.ClaimNext());
  EXPECT_FALSE(claim.ClaimNext());
  EXPECT_FALSE(claim.ClaimNext());
  EXPECT_EQ(claim.CutAt(), kNever);
  EXPECT_TRUE(claim.Cut(Instant{Duration{5}}).Empty()) << "nothing is left to be taken back";
}

TEST(TaskClaim, ACutTakesBackWhatWasNotClaimed) {
  TaskClaim claim;
  claim.Reset({10, 20});
  EXPECT_TRUE(claim.ClaimNext());
  EXPECT_TRUE(claim.ClaimNext());
  EXPECT_EQ(claim.Cut(Instant{Duration{5}}), (IndexRange{12, 20}));
  EXPECT_EQ(claim.CutAt(), Instant{Duration{5}});
  EXPECT_FALSE(claim.ClaimNext());
  claim.Reset({30, 31});
  EXPECT_EQ(claim.CutAt(), kNever);
  EXPECT_EQ(claim.Cut(Instant{Duration{9}}), (IndexRange{30, 31}));
  EXPECT_FALSE(claim.ClaimNext());
}

TEST(TaskClaim, ATaskIsEitherClaimedOrTakenBackNeverBoth) {
  for (int round = 0; round < 200; ++round) {
    constexpr std::int64_t kTasks = 20'000;
    TaskClaim claim;
    claim.Reset({0, kTasks});
    std::atomic<std::int64_t> claimed{0};
    std::thread runner([&] {
      while (claim.ClaimNext()) claimed.fetch_add(1, std::memory_order_relaxed);
    });
    while (claimed.load(std::memory_order_relaxed) < round) std::this_thread::yield();
    const IndexRange unstarted = claim.Cut(Instant{Duration{1}});
    runner.join();
    ASSERT_EQ(claimed.load(), unstarted.begin);
    ASSERT_EQ(unstarted.end, kTasks);
  }
}

}  // namespace
}  // namespace evenkeel::worker
