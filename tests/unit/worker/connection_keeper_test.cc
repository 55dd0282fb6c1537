#include "worker/connection_keeper.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace evenkeel::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class ConnectionKeeperTest : public testing::Test {
 protected:
  static ConnectionKeeper::Options Settings() {
    ConnectionKeeper::Options options;
    options.address = "host:1";
    options.give_up_after = seconds(60);
    return options;
  }
  /// The next attempt, when it is due.
  ConnectionKeeper::Attempt Attempt() {
    now = std::max(now, keeper.NextTimer());
    EXPECT_TRUE(keeper.ShouldConnect(now));
    return keeper.StartAttempt(now);
  }

  Instant now{seconds(100)};
  ConnectionKeeper keeper{Settings()};
};

TEST_F(ConnectionKeeperTest, ConnectsAtOnceAndKeepsAStreamThatIsOpen) {
  EXPECT_TRUE(keeper.ShouldConnect(now));
  const auto attempt = keeper.StartAttempt(now);
  EXPECT_EQ(attempt.timeout, seconds(3));
  EXPECT_TRUE(keeper.IsCurrent(attempt.stream));
  EXPECT_TRUE(keeper.OnHeard(attempt.stream));
  EXPECT_FALSE(keeper.ShouldConnect(now + minutes(60)));
  EXPECT_FALSE(keeper.ShouldGiveUp(now + minutes(60)));
  EXPECT_EQ(keeper.NextTimer(), kNever);
}

TEST_F(ConnectionKeeperTest, EventsOfAnEarlierStreamAreIgnored) {
  const auto first = Attempt();
  (void)keeper.OnClosed("reset", now);
  EXPECT_FALSE(keeper.IsCurrent(first.stream)) << "none is open";
  const auto second = Attempt();
  EXPECT_NE(first.stream, second.stream);
  EXPECT_FALSE(keeper.OnHeard(first.stream));
  EXPECT_TRUE(keeper.OnHeard(second.stream));
}

TEST_F(ConnectionKeeperTest, AnAttemptMayTakeAsLongAsTheCoordinatorHasBeenAway) {
  const Instant begun = now;
  Duration longest{};
  while (now < begun + seconds(20)) {
    longest = Attempt().timeout;
    (void)keeper.OnClosed("refused", now);
  }
  EXPECT_EQ(longest, seconds(5)) << "but not longer than the limit";
}

TEST_F(ConnectionKeeperTest, GivesUpAfterTheTimeWithoutACoordinatorHowOftenItTried) {
  const Instant begun = now;
  while (!keeper.ShouldGiveUp(now)) {
    if (keeper.ShouldConnect(now)) {
      (void)keeper.StartAttempt(now);
      (void)keeper.OnClosed("refused", now);
    }
    now = keeper.NextTimer();
  }
  EXPECT_EQ(now, begun + seconds(60));
  EXPECT_EQ(keeper.GiveUpReason(), "no coordinator at host:1 for 60 s");
}

TEST_F(ConnectionKeeperTest, TheTimeWithoutACoordinatorStartsAnewWhenOneWasHeard) {
  const auto attempt = Attempt();
  (void)keeper.OnHeard(attempt.stream);
  now += minutes(5);
  (void)keeper.OnClosed("reset", now);
  EXPECT_FALSE(keeper.ShouldGiveUp(now + seconds(59)));
  EXPECT_TRUE(keeper.ShouldGiveUp(now + seconds(60)));
  EXPECT_LE(keeper.NextTimer(), now + milliseconds(50)) << "it is looked for at once";
}

TEST_F(ConnectionKeeperTest, ALossIsLoggedAndFailedAttemptsNowAndThen) {
  const auto attempt = Attempt();
  (void)keeper.OnHeard(attempt.stream);
  EXPECT_EQ(keeper.OnClosed("reset", now), "lost the coordinator: reset");
  int lines = 0;
  for (const Instant until = now + seconds(55); now < until;) {
    (void)Attempt();
    const auto line = keeper.OnClosed("refused", now);
    if (!line) continue;
    EXPECT_EQ(*line, "no coordinator at host:1: refused");
    ++lines;
  }
  EXPECT_EQ(lines, 1);
}

}  // namespace
}  // namespace evenkeel::worker
