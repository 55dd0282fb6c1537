#include "worker/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace evenkeel::worker {
namespace {

TEST(Backoff, PausesAThirdOfWhatWasWaitedWithJitter) {
  Backoff backoff(3);
  double waited = 0;
  while (waited < 60) {
    const double longest = std::clamp(waited / 3, 0.05, 5.0);
    const double pause = ToSeconds(backoff.Next());
    EXPECT_GE(pause, longest / 2 - 1e-9);
    EXPECT_LE(pause, longest + 1e-9);
    waited += pause;
  }
  backoff.Reset();
  EXPECT_LE(ToSeconds(backoff.Next()), 0.05);
}

TEST(Backoff, TwoWorkersDoNotComeBackTogether) { EXPECT_NE(Backoff(1).Next(), Backoff(2).Next()); }

}  // namespace
}  // namespace evenkeel::worker
