#include "core/base/portable_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/rng.h"

namespace evenkeel {
namespace {

constexpr double kRelative = 4e-16;

TEST(PortableMath, LogarithmsAgreeWithTheStandardLibrary) {
  EXPECT_EQ(PortableLog(1), 0);
  EXPECT_NEAR(PortableLog(2), 0.69314718055994531, 1e-16);
  Rng rng(1);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::ldexp(rng.Uniform(0.5, 1), static_cast<int>(rng.Between(-300, 300)));
    const double expected = std::log(x);
    ASSERT_NEAR(PortableLog(x), expected, kRelative * std::fabs(expected) + 1e-17) << x;
  }
  EXPECT_NEAR(PortableLog(0x1.0p-53), -36.7368005696771, 1e-12);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(PortableLog(0), -kInfinity);
  EXPECT_EQ(PortableLog(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(PortableLog(-3)));
  EXPECT_TRUE(std::isnan(PortableExp(PortableLog(-3))));
}

TEST(PortableMath, ExponentialsAgreeWithTheStandardLibrary) {
  EXPECT_EQ(PortableExp(0), 1);
  Rng rng(2);
  for (int i = 0; i < 100000; ++i) {
    const double x = rng.Uniform(-200, 200);
    const double expected = std::exp(x);
    ASSERT_NEAR(PortableExp(x), expected, 4 * kRelative * expected) << x;
  }
  EXPECT_EQ(PortableExp(-1000), 0);
  EXPECT_EQ(PortableExp(1000), std::numeric_limits<double>::infinity());
}

TEST(PortableMath, WholePowersAreProducts) {
  EXPECT_EQ(PortablePower(0.3, 0), 1);
  EXPECT_EQ(PortablePower(0.3, 1), 0.3);
  EXPECT_EQ(PortablePower(0.3, 2), 0.3 * 0.3);
  EXPECT_EQ(PortablePower(2, 64), 0x1.0p64);
  EXPECT_EQ(PortablePower(0, 0), 1);
  EXPECT_EQ(PortablePower(0, 0.5), 0);
  EXPECT_EQ(PortablePower(0, -0.5), std::numeric_limits<double>::infinity());
}

TEST(PortableMath, PowersAreExponentialsOfLogarithms) {
  EXPECT_NEAR(PortablePower(8, 2.0 / 3), 4, 1e-14);
  EXPECT_NEAR(PortablePower(10, -3), 1e-3, 1e-17);
}

// These bits are equal on all machines; changing them changes the simulations of all seeds.
TEST(PortableMath, TheBitsAreFixed) {
  EXPECT_EQ(PortableLog(3), 0x1.193ea7aad030bp+0);
  EXPECT_EQ(PortableExp(1), 0x1.5bf0a8b14576ap+1);
}

}  // namespace
}  // namespace evenkeel
