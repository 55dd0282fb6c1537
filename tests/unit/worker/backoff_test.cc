#include "worker/backoff.h"

#include <gtest/gtest.h>

namespace evenkeel::worker {
namespace {

TEST(Backoff, DoublesFromFiftyMillisecondsToFiveSecondsWithJitter) {
  Backoff backoff(3);
  for (const double longest : {0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0}) {
    const double pause = ToSeconds(backoff.Next());
    EXPECT_GE(pause, longest / 2);
    EXPECT_LE(pause, longest);
  }
  backoff.Reset();
  EXPECT_LE(ToSeconds(backoff.Next()), 0.05);
}

TEST(Backoff, TwoWorkersDoNotComeBackTogether) { EXPECT_NE(Backoff(1).Next(), Backoff(2).Next()); }

}  // namespace
}  // namespace evenkeel::worker
