#include "core/scheduling/residual_time.h"

#include <gtest/gtest.h>

namespace evenkeel::scheduling {
namespace {

constexpr double kWellKnown = 1e-6;

TEST(MeanResidualSeconds, OfATaskOfKnownLengthIsTheRest) {
  const TimeUncertainty exact{0.0004, kWellKnown};
  EXPECT_NEAR(MeanResidualSeconds(10, 0, exact), 10, 0.01);
  EXPECT_NEAR(MeanResidualSeconds(10, 6, exact), 4, 0.02);
}

TEST(MeanResidualSeconds, OfExponentialTimesDoesNotDependOnTheTimeSoFar) {
  const TimeUncertainty exponential{1, 0};
  EXPECT_NEAR(MeanResidualSeconds(10, 0, exponential), 10, 0.01);
  EXPECT_NEAR(MeanResidualSeconds(10, 50, exponential), 10, 0.1);
}

TEST(MeanResidualSeconds, OfUniformTimesFallsToNothingAtTheirEnd) {
  const TimeUncertainty uniform{1.0 / 3, 0};  // from 0 to 20
  EXPECT_NEAR(MeanResidualSeconds(10, 10, uniform), 5, 0.1);
  EXPECT_LT(MeanResidualSeconds(10, 19.9, uniform), 0.2);
}

TEST(MeanResidualSeconds, OfHeavyTailsRises) {
  const TimeUncertainty heavy{4, 0};
  const double first = MeanResidualSeconds(10, 10, heavy);
  const double later = MeanResidualSeconds(10, 100, heavy);
  EXPECT_GT(first, 10);
  EXPECT_GT(later, 2 * first);
}

TEST(MeanResidualSeconds, OfAnOverdueTaskRisesIfTheRateIsUnsure) {
  const TimeUncertainty label{0.0004, 0.25};
  EXPECT_GE(MeanResidualSeconds(1, 30, label), 9.99) << "v / (1 - v) of 30";
  const TimeUncertainty exponential{1, 0.25};
  EXPECT_NEAR(MeanResidualSeconds(1, 300, exponential), 100, 15);
}

TEST(MeanResidualSeconds, OfATaskThatIsLaterThanPossibleIsHalfOfThat) {
  EXPECT_NEAR(MeanResidualSeconds(1, 31, {0.0004, kWellKnown}), 15, 0.01);
  EXPECT_NEAR(MeanResidualSeconds(10, 30, {1.0 / 3, 0}), 5, 0.1) << "20 s are the longest";
}

}  // namespace
}  // namespace evenkeel::scheduling
