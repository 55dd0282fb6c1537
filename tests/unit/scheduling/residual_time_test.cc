#include "core/scheduling/residual_time.h"

#include <gtest/gtest.h>

namespace evenkeel::scheduling {
namespace {

constexpr double kWellKnown = 1e-6;

TEST(ResidualTime, OfATaskOfKnownLengthIsTheRest) {
  const TimeUncertainty exact{0.0004, kWellKnown};
  EXPECT_NEAR(ResidualOf(10, 0, exact).mean, 10, 0.01);
  EXPECT_NEAR(ResidualOf(10, 6, exact).mean, 4, 0.02);
}

TEST(ResidualTime, OfExponentialTimesDoesNotDependOnTheTimeSoFar) {
  const TimeUncertainty exponential{1, 0};
  EXPECT_NEAR(ResidualOf(10, 0, exponential).mean, 10, 0.01);
  EXPECT_NEAR(ResidualOf(10, 50, exponential).mean, 10, 0.1);
}

TEST(ResidualTime, OfUniformTimesFallsToNothingAtTheirEnd) {
  const TimeUncertainty uniform{1.0 / 3, 0};  // from 0 to 20
  EXPECT_NEAR(ResidualOf(10, 10, uniform).mean, 5, 0.1);
  EXPECT_LT(ResidualOf(10, 19.9, uniform).mean, 0.2);
}

TEST(ResidualTime, OfHeavyTailsRises) {
  const TimeUncertainty heavy{4, 0};
  const double first = ResidualOf(10, 10, heavy).mean;
  const double later = ResidualOf(10, 100, heavy).mean;
  EXPECT_GT(first, 10);
  EXPECT_GT(later, 2 * first);
}

TEST(ResidualTime, OfAnOverdueTaskRisesIfTheRateIsUnsure) {
  const TimeUncertainty label{0.0004, 0.25};
  EXPECT_GE(ResidualOf(1, 30, label).mean, 9.99) << "v / (1 - v) of 30";
  const TimeUncertainty exponential{1, 0.25};
  EXPECT_NEAR(ResidualOf(1, 300, exponential).mean, 100, 15);
}

TEST(ResidualTime, OfATaskThatIsLaterThanPossibleIsHalfOfThat) {
  EXPECT_NEAR(ResidualOf(1, 31, {0.0004, kWellKnown}).mean, 15, 0.01);
  EXPECT_NEAR(ResidualOf(10, 30, {1.0 / 3, 0}).mean, 5, 0.1) << "20 s are the longest";
}

TEST(ResidualTime, ThePartsOfATimeAddUpToItsMean) {
  for (const double shape : {-40.0, -1.0, 0.0, 0.3}) {
    const ResidualTime time{10, shape};
    EXPECT_NEAR(time.MeanWithin(0, 5) + time.MeanWithin(5, 1e9), 10, 1e-4) << shape;
  }
}

TEST(ResidualTime, OfATimeThatIsKnownEachPartBeforeItsEndIsWhole) {
  const ResidualTime known{10, -1000};
  EXPECT_NEAR(known.MeanWithin(2, 7), 5, 0.01);
  EXPECT_NEAR(known.MeanWithin(8, 20), 2, 0.01);
  EXPECT_EQ(known.MeanWithin(11, 20), 0);
}

TEST(ResidualTime, OfAnExponentialTimeTheRestAfterItsMeanIsOneEth) {
  EXPECT_NEAR((ResidualTime{10, 0}).MeanWithin(10, 1e9), 3.679, 0.001);
  EXPECT_NEAR((ResidualTime{10, 0.001}).MeanWithin(10, 1e9), 3.679, 0.01);
}

TEST(ResidualTime, ATaskThatShouldHaveEndedHasNoPartLeft) {
  EXPECT_EQ((ResidualTime{0, -2}).MeanWithin(0, 10), 0);
}

}  // namespace
}  // namespace evenkeel::scheduling
