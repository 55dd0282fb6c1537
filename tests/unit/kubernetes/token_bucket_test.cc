#include <gtest/gtest.h>

#include "kubernetes/pacing.h"

namespace evenkeel::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kStart{seconds(100)};

TEST(TokenBucket, GivesABurstAtOnceAndThenOneAnInterval) {
  TokenBucket bucket(20, 30);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(bucket.Take(kStart), Duration::zero()) << i;
  EXPECT_EQ(bucket.Take(kStart), milliseconds(50));
  EXPECT_EQ(bucket.Take(kStart), milliseconds(100));
  // The two above are taken: half a second later there are 8 more.
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(bucket.Take(kStart + milliseconds(500)), Duration::zero()) << i;
  }
  EXPECT_EQ(bucket.Take(kStart + milliseconds(500)), milliseconds(50));
}

TEST(TokenBucket, HoldsNoMoreThanABurstAfterAPause) {
  TokenBucket bucket(10, 3);
  for (int i = 0; i < 3; ++i) (void)bucket.Take(kStart);
  const Instant later = kStart + seconds(3600);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.Take(later), Duration::zero()) << i;
  EXPECT_GT(bucket.Take(later), Duration::zero());
}

TEST(TokenBucket, KeepsToItsRateInTheLongRun) {
  TokenBucket bucket(20, 30);
  Instant now = kStart;
  for (int i = 0; i < 1000; ++i) now += bucket.Take(now);
  EXPECT_NEAR(ToSeconds(now - kStart), (1000 - 30) / 20.0, 0.001);
}

}  // namespace
}  // namespace evenkeel::kube
