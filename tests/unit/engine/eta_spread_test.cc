#include "core/engine/eta_spread.h"

#include <gtest/gtest.h>

namespace evenkeel::engine {
namespace {

TEST(EtaSpread, IsNothingWhilePredictionsAgree) {
  EtaSpread spread;
  for (double left = 40; left > 0; left -= 1) spread.Note(40, left);
  EXPECT_DOUBLE_EQ(spread.RelativeVariance(), 0);
}

TEST(EtaSpread, GrowsToTheSizeOfTheWandering) {
  EtaSpread spread;
  for (int i = 0; i < 400; ++i) spread.Note(i % 2 == 0 ? 38 : 42, 20);  // 2 of 20 to either side
  EXPECT_NEAR(spread.RelativeVariance(), 0.01, 0.002);
}

TEST(EtaSpread, ForgetsAChangeOfSpeedThatIsOver) {
  EtaSpread spread;
  spread.Note(40, 20);
  spread.Note(60, 20);
  const double changed = spread.RelativeVariance();
  for (int i = 0; i < 200; ++i) spread.Note(60, 20);
  EXPECT_LT(spread.RelativeVariance(), changed / 10);
}

// The first tasks of a job may be much slower or faster than all others.
TEST(EtaSpread, AFirstPredictionWithoutMeaningIsForgotten) {
  EtaSpread spread;
  spread.Note(2442, 2442);
  for (int i = 0; i < 4; ++i) spread.Note(32, 30);
  EXPECT_LT(spread.RelativeVariance(), 0.1);
}

TEST(EtaSpread, AnEndThatIsHereSaysNothing) {
  EtaSpread spread;
  spread.Note(40, 0);
  EXPECT_DOUBLE_EQ(spread.RelativeVariance(), 0);
}

}  // namespace
}  // namespace evenkeel::engine
