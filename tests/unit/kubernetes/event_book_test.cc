#include <gtest/gtest.h>

#include "kubernetes/events.h"

namespace evenkeel::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Event About(const std::string& name, const std::string& reason = "NoEligibleNode") {
  return {{"batch.evenkeel.dev/v1alpha1", "WeightedJob", {"space", name}, "uid-" + name},
          EventType::kWarning,
          reason,
          "Planning",
          "no node fits"};
}

class EventBookTest : public ::testing::Test {
 protected:
  bool Note(const Event& event) {
    const WallTime wall(std::chrono::floor<std::chrono::microseconds>(now_.time_since_epoch()));
    return book_.Note(event, now_, wall);
  }
  std::optional<EventWrite> Next() { return book_.Next(now_); }
  /// Performs the next write and reports its outcome.
  EventWrite Write(EventOutcome outcome) {
    const auto write = Next();
    EXPECT_TRUE(write);
    if (!write) return {};
    given_up_ += book_.Finished(*write, outcome, now_) ? 1 : 0;
    return *write;
  }

  EventCorrelator book_{EventBookOptions{}};
  Instant now_{std::chrono::hours(1)};
  int given_up_ = 0;
};

TEST_F(EventBookTest, AFirstEventIsWrittenAtOnce) {
  EXPECT_TRUE(Note(About("primes")));
  const EventWrite write = Write(EventOutcome::kWritten);
  EXPECT_TRUE(write.is_new);
  EXPECT_EQ(write.state.count, 1);
  EXPECT_EQ(write.state.key.namespace_name, "space");
  EXPECT_EQ(write.state.key.name.rfind("primes.", 0), 0u);
  EXPECT_FALSE(Next());
  EXPECT_EQ(book_.NextDue(), kNever);
}

TEST_F(EventBookTest, RepetitionsBecomeASeriesThatIsWrittenNowAndThen) {
  Note(About("primes"));
  const EventWrite first = Write(EventOutcome::kWritten);
  for (int i = 0; i < 9; ++i) Note(About("primes"));
  EXPECT_FALSE(Next()) << "not at once";
  EXPECT_EQ(book_.NextDue(), now_ + seconds(10));
  now_ += seconds(10);
  const EventWrite series = Write(EventOutcome::kWritten);
  EXPECT_FALSE(series.is_new);
  EXPECT_EQ(series.state.key, first.state.key);
  EXPECT_EQ(series.state.count, 10);
  Note(About("primes"));
  EXPECT_EQ(book_.NextDue(), now_ + seconds(20)) << "less and less often";
}

TEST_F(EventBookTest, AnEventEachSecondForAnHourIsWrittenAFewTimes) {
  int writes = 0;
  for (int second = 0; second < 3600; ++second, now_ += seconds(1)) {
    Note(About("primes"));
    while (Next()) {
      Write(EventOutcome::kWritten);
      ++writes;
    }
  }
  EXPECT_LE(writes, 20);
  EXPECT_GE(writes, 12);
}

TEST_F(EventBookTest, OtherReasonsObjectsAndLaterTimesAreOtherEvents) {
  Note(About("primes"));
  Note(About("primes", "PolicyMissing"));
  Note(About("matmul"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Write(EventOutcome::kWritten).is_new);
  now_ += minutes(7);
  Note(About("primes"));
  EXPECT_TRUE(Write(EventOutcome::kWritten).is_new) << "the series is over";
}

TEST_F(EventBookTest, NamesDifferEvenWithinAMicrosecond) {
  Note(About("primes"));
  Note(About("primes", "PolicyMissing"));
  EXPECT_NE(Write(EventOutcome::kWritten).state.key, Write(EventOutcome::kWritten).state.key);
}

TEST_F(EventBookTest, LongNamesLeaveRoomForTheStamp) {
  Event event = About(std::string(219, 'a') + "-" + std::string(33, 'b'));
  event.regarding.key.namespace_name.clear();
  Note(event);
  const EventWrite write = Write(EventOutcome::kWritten);
  EXPECT_LE(write.state.key.name.size(), 253u);
  EXPECT_EQ(write.state.key.name.find("-."), std::string::npos) << "no legal name";
  EXPECT_EQ(write.state.key.namespace_name, "default");
}

TEST_F(EventBookTest, LimitsTheRateOfEachObject) {
  int kept = 0;
  for (int i = 0; i < 100; ++i) kept += Note(About("primes", "Reason" + std::to_string(i))) ? 1 : 0;
  EXPECT_EQ(kept, 25);
  EXPECT_TRUE(Note(About("matmul")));
  now_ += seconds(61);
  kept = 0;
  for (int i = 0; i < 100; ++i) kept += Note(About("primes", "Late" + std::to_string(i))) ? 1 : 0;
  EXPECT_EQ(kept, 2);
}

TEST_F(EventBookTest, TheBookIsBounded) {
  EventBookOptions options;
  options.most_series = 10;
  book_ = EventCorrelator(options);
  int kept = 0;
  for (int i = 0; i < 20; ++i) kept += Note(About("job-" + std::to_string(i))) ? 1 : 0;
  EXPECT_EQ(kept, 10);
  while (Next()) Write(EventOutcome::kWritten);
  now_ += minutes(7);
  EXPECT_TRUE(Note(About("late"))) << "what is over makes room";
}

TEST_F(EventBookTest, ErrorsAreRetriedForAWhile) {
  Note(About("primes"));
  const Instant start = now_;
  int attempts = 0;
  while (given_up_ == 0) {
    now_ = std::max(now_, book_.NextDue());
    Write(EventOutcome::kFailed);
    ASSERT_LE(++attempts, 20);
  }
  EXPECT_EQ(attempts, 8);
  EXPECT_GE(now_ - start, seconds(100)) << "longer than a server takes to start";
  EXPECT_EQ(book_.NextDue(), kNever);
}

TEST_F(EventBookTest, ARefusedEventIsGivenUp) {
  Note(About("primes"));
  Write(EventOutcome::kRefused);
  EXPECT_EQ(given_up_, 1);
  EXPECT_FALSE(Next());
}

TEST_F(EventBookTest, ATakenNameIsReplaced) {
  Note(About("primes"));
  const EventWrite taken = Write(EventOutcome::kExists);
  now_ = book_.NextDue();
  const EventWrite again = Write(EventOutcome::kWritten);
  EXPECT_TRUE(again.is_new);
  EXPECT_NE(again.state.key, taken.state.key);
}

TEST_F(EventBookTest, ASeriesWhoseObjectIsGoneIsCreatedWithItsCount) {
  Note(About("primes"));
  Write(EventOutcome::kWritten);
  Note(About("primes"));
  now_ = book_.NextDue();
  EXPECT_FALSE(Write(EventOutcome::kMissing).is_new);
  now_ = book_.NextDue();
  const EventWrite again = Write(EventOutcome::kWritten);
  EXPECT_TRUE(again.is_new);
  EXPECT_EQ(again.state.count, 2);
}

}  // namespace
}  // namespace evenkeel::kube
