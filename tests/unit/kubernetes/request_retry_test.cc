#include <gtest/gtest.h>

#include "kubernetes/client.h"

namespace evenkeel::kube {
namespace {

using std::chrono::seconds;

TEST(RetryPauses, DoubleWithJitterUntilTheAttemptsAreUsedUp) {
  RetryPauses pauses(RetryPolicy{}, 1);
  for (const double longest : {0.5, 1.0, 2.0, 4.0}) {
    const auto pause = pauses.Next(std::nullopt);
    ASSERT_TRUE(pause);
    EXPECT_GE(ToSeconds(*pause), longest / 2);
    EXPECT_LE(ToSeconds(*pause), longest);
  }
  EXPECT_FALSE(pauses.Next(std::nullopt));
}

TEST(RetryPauses, GrowNoLongerThanTheyMay) {
  RetryPolicy policy;
  policy.max_attempts = 20;
  RetryPauses pauses(policy, 1);
  while (const auto pause = pauses.Next(std::nullopt)) EXPECT_LE(*pause, policy.longest_pause);
}

TEST(RetryPauses, FollowTheServerWithinBounds) {
  RetryPauses pauses(RetryPolicy{}, 1);
  EXPECT_EQ(pauses.Next(seconds(7)), seconds(7));
  EXPECT_EQ(pauses.Next(seconds(3600)), seconds(30));
  EXPECT_GE(*pauses.Next(seconds(0)), seconds(1));
}

TEST(RetryPauses, DifferBetweenCallers) {
  EXPECT_NE(RetryPauses(RetryPolicy{}, 1).Next(std::nullopt),
            RetryPauses(RetryPolicy{}, 2).Next(std::nullopt));
}

TEST(RetryPauses, OneAttemptMeansNoPause) {
  RetryPolicy once;
  once.max_attempts = 1;
  EXPECT_FALSE(RetryPauses(once, 1).Next(seconds(1)));
}

TEST(IsWorthRepeating, OnlyIfTheServerAsksToRetry) {
  for (const int status : {429, 503, 504}) {
    EXPECT_TRUE(IsWorthRepeating({status, "", {}}, true)) << status;
  }
  for (const int status : {200, 400, 401, 403, 404, 409, 410, 422, 500}) {
    EXPECT_FALSE(IsWorthRepeating({status, "", {}}, true)) << status;
  }
  EXPECT_TRUE(IsWorthRepeating({429, "", {}}, false));
  EXPECT_FALSE(IsWorthRepeating({503, "", {}}, false));
}

}  // namespace
}  // namespace evenkeel::kube
