#include "operator/runtime/status_pacer.h"

#include <gtest/gtest.h>

namespace evenkeel::operating {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(StatusPacerTest, FiveASecondHoweverManyAsk) {
  StatusPacer pacer(milliseconds(200), 5);
  const Instant begin{seconds(1000)};
  int written = 0;
  for (auto at = begin; at < begin + seconds(60); at += milliseconds(7)) {
    if (pacer.Ask(at) == Duration::zero()) ++written;
  }
  EXPECT_GE(written, 5 * 59);
  EXPECT_LE(written, 5 * 60 + 5);
}

TEST(StatusPacerTest, TellsWhenToAskAgain) {
  StatusPacer pacer(milliseconds(200), 2);
  const Instant now{seconds(1000)};
  EXPECT_EQ(pacer.Ask(now), Duration::zero());
  EXPECT_EQ(pacer.Ask(now), Duration::zero());
  const Duration wait = pacer.Ask(now);
  EXPECT_EQ(wait, milliseconds(200));
  EXPECT_EQ(pacer.Ask(now + wait), Duration::zero());
}

}  // namespace
}  // namespace evenkeel::operating
