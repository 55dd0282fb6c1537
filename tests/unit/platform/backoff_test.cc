#include "platform/backoff.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace evenkeel::platform {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Backoff, DoublesUpToTheLongestPause) {
  Backoff backoff({.shortest = seconds(1), .longest = seconds(60), .factor = 2, .jitter = {}});
  for (const int want : {1, 2, 4, 8, 16, 32, 60, 60}) EXPECT_EQ(backoff.Next(), seconds(want));
  EXPECT_EQ(backoff.Failures(), 8);
}

TEST(Backoff, StartsAfreshAfterASuccess) {
  Backoff backoff({.shortest = seconds(1), .longest = seconds(60), .factor = 2, .jitter = {}});
  for (int i = 0; i < 5; ++i) static_cast<void>(backoff.Next());
  backoff.Reset();
  EXPECT_EQ(backoff.Failures(), 0);
  EXPECT_EQ(backoff.Next(), seconds(1));
}

TEST(Backoff, OtherFactors) {
  const BackoffOptions slow{
      .shortest = milliseconds(64), .longest = seconds(5), .factor = 1.25, .jitter = {}};
  EXPECT_EQ(ExponentialPause(slow, 1), milliseconds(80));
  EXPECT_EQ(ExponentialPause(slow, 2), milliseconds(100));
  EXPECT_EQ(ExponentialPause(slow, 1000), seconds(5));
  const BackoffOptions constant{
      .shortest = seconds(3), .longest = seconds(5), .factor = 1, .jitter = {}};
  EXPECT_EQ(ExponentialPause(constant, std::numeric_limits<std::int64_t>::max()), seconds(3));
}

TEST(Backoff, NeitherTimesNorFailuresOverflow) {
  const BackoffOptions wide{
      .shortest = Duration::max() / 2, .longest = Duration::max(), .factor = 1e9, .jitter = {}};
  EXPECT_EQ(ExponentialPause(wide, std::numeric_limits<std::int64_t>::max()), Duration::max());
  const BackoffOptions narrow{
      .shortest = Duration(1), .longest = Duration::max(), .factor = 2, .jitter = {}};
  EXPECT_EQ(ExponentialPause(narrow, std::numeric_limits<std::int64_t>::max()), Duration::max());
  EXPECT_EQ(ExponentialPause(narrow, 40), Duration(std::int64_t{1} << 40));
}

TEST(Backoff, JitterStretchesThePauseWithinItsRange) {
  const BackoffOptions options{.shortest = seconds(10),
                               .longest = seconds(60),
                               .factor = 2,
                               .jitter = {.least = 0.5, .most = 1.5}};
  EXPECT_EQ(Backoff(options).Next(0), seconds(5));
  EXPECT_EQ(Backoff(options).Next(0.5), seconds(10));
  EXPECT_EQ(Backoff(options).Next(0.75), milliseconds(12500));
  EXPECT_EQ(ApplyJitter(seconds(100), {.least = 0.9, .most = 1.1}, 0), seconds(90));
}

}  // namespace
}  // namespace evenkeel::platform
