#include "core/base/time.h"

#include <gtest/gtest.h>

namespace evenkeel {
namespace {

TEST(Time, SecondsAreRoundedToWholeNanoseconds) {
  EXPECT_EQ(FromSeconds(1.5e-9).count(), 2);
  EXPECT_EQ(FromSeconds(-1.5e-9).count(), -2);
  EXPECT_DOUBLE_EQ(ToSeconds(FromSeconds(12.25)), 12.25);
}

TEST(Time, AbsurdSecondsSaturate) {
  EXPECT_GT(FromSeconds(1e300), std::chrono::hours(24 * 365 * 200));
  EXPECT_LT(FromSeconds(-1e300), Duration::zero());
}

}  // namespace
}  // namespace evenkeel
