#include "coordinator/live/live_feed.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/coordinator/service_fakes.h"

namespace evenkeel::coordinator {
namespace {

using nlohmann::json;
using std::chrono::seconds;

class LiveFeedTest : public testing::Test {
 protected:
  json Ask(const std::string& since = "") {
    const auto answer = feed_.Answer(run_, {"primes", "Running", "", false}, since);
    return answer ? json::parse(*answer) : json(answer.error().message);
  }
  void Count(model::IndexRange range, Duration end) {
    model::ResultRecord record;
    record.node = "pi4a";
    record.range = range;
    record.started = end - seconds(1);
    record.ended = end;
    record.busy = seconds(1);
    feed_.OnCounted(record);
  }
  static std::int64_t TasksIn(const json& answer) {
    const auto& tasks = answer["timeline"]["progress"]["tasks"];
    return tasks.empty() ? 0 : tasks.back().get<std::int64_t>();
  }

  ManualClock clock_;
  FakeRun run_;
  LiveFeed feed_{clock_};
};

TEST_F(LiveFeedTest, KeepsNothingWithoutReaders) {
  Count({0, 3}, seconds(2));
  feed_.OnTick();
  EXPECT_FALSE(feed_.Watched());
  EXPECT_EQ(run_.looks, 0);
  EXPECT_EQ(TasksIn(Ask()), 0);
  EXPECT_TRUE(feed_.Watched());
}

TEST_F(LiveFeedTest, ASecondReaderReadsTheJournalOnceAndCountsNothingTwice) {
  auto answer = Ask();
  EXPECT_FALSE(answer["caughtUp"]);
  EXPECT_EQ(run_.readings, 0);
  Count({0, 3}, seconds(2));  // is what the journal of the fake has
  Count({3, 5}, seconds(3));
  clock_.now += seconds(1);
  answer = Ask(answer["at"]);
  EXPECT_TRUE(answer["caughtUp"]);
  EXPECT_EQ(TasksIn(answer), 5);
  EXPECT_EQ(answer["timeline"]["events"].size(), 1U);
  clock_.now += seconds(1);
  EXPECT_EQ(TasksIn(Ask(answer["at"])), 5);
  EXPECT_EQ(run_.readings, 1);
}

TEST_F(LiveFeedTest, AReaderThatIsUpToDateGetsOnlyChanges) {
  (void)Ask();
  clock_.now += seconds(1);
  auto answer = Ask();
  EXPECT_TRUE(answer["whole"]);
  EXPECT_EQ(answer["nodes"].size(), 1U);
  answer = Ask(answer["at"]);
  EXPECT_FALSE(answer["whole"]);
  EXPECT_EQ(answer["nodes"], json::array());
  EXPECT_EQ(answer["timeline"]["lanes"], json::array());
  Count({5, 6}, seconds(3));  // cells need not be divided again for it
  answer = Ask(answer["at"]);
  EXPECT_FALSE(answer["whole"]);
  EXPECT_EQ(answer["timeline"]["lanes"].size(), 1U);
}

TEST_F(LiveFeedTest, RowsHaveSlotsAndRangesOfJobsThatHaveThem) {
  json answer = Ask();
  EXPECT_EQ(answer["nodes"][0][1].size(), 6U);
  EXPECT_EQ(answer["nodes"][0][2].size(), 8U);
  EXPECT_EQ(answer["nodes"][0][2][0], "i");
  run_.slots.emplace();
  run_.ranges = {0.5, 0.005, 4, 3, 2};
  run_.runs_alone = true;
  answer = Ask(answer["at"]);
  ASSERT_EQ(answer["nodes"].size(), 1U) << "the row has changed";
  EXPECT_EQ(answer["nodes"][0][1][4], 2);
  EXPECT_EQ(answer["nodes"][0][1][6], "") << "what limits the slots is not known";
  EXPECT_EQ(answer["nodes"][0][2][0], "o");
  EXPECT_EQ(answer["nodes"][0][2][8], (json{0.5, 0.005, 4, 3, 2}));
  run_.slots->limited_by = "<memory>\"";
  answer = Ask(answer["at"]);
  EXPECT_EQ(answer["nodes"][0][1][6], "<memory>\"");
}

TEST_F(LiveFeedTest, AReaderOfAnotherVersionGetsEverything) {
  const std::string at = Ask()["at"];
  const std::vector<std::string> others = {"x",
                                           "1.0-1",
                                           "-",
                                           "1",
                                           at + "0",
                                           at + "x",
                                           at.substr(0, at.size() - 1),
                                           "99999999999999999999"};
  for (const std::string& since : others) {
    EXPECT_TRUE(Ask(since)["whole"]) << since;
  }
  feed_.Forget();  // another run
  EXPECT_FALSE(feed_.Watched());
  clock_.now += seconds(1);
  EXPECT_TRUE(Ask(at)["whole"]);
}

TEST_F(LiveFeedTest, IsDroppedAfterTheLastReader) {
  (void)Ask();
  clock_.now += LiveFeed::kForgetAfter;
  feed_.OnTick();
  EXPECT_TRUE(feed_.Watched());
  clock_.now += seconds(1);
  feed_.OnTick();
  EXPECT_FALSE(feed_.Watched());
}

TEST_F(LiveFeedTest, WithoutARunHasTheStateOnly) {
  run_.over = true;
  const auto answer = Ask();
  EXPECT_EQ(answer["job"], "primes");
  EXPECT_EQ(answer["state"], "Running");
  EXPECT_FALSE(answer.contains("at"));
  EXPECT_GE(answer["againSeconds"].get<double>(), 1);
}

/// Advances at each call of Now().
class SlowClock final : public Clock {
 public:
  [[nodiscard]] Instant Now() const override { return now_ += std::chrono::milliseconds(100); }

 private:
  mutable Instant now_{seconds(100)};
};

TEST_F(LiveFeedTest, SlowAnswersAreRequestedLessOftenAndThenRefused) {
  SlowClock clock;
  LiveFeed feed(clock);
  const LiveState state{"primes", "Running", "", false};
  const auto first = feed.Answer(run_, state, "");
  ASSERT_TRUE(first);
  EXPECT_GT(json::parse(*first)["againSeconds"].get<double>(), 4);
  Result<std::string> answer = *first;
  for (int i = 0; i < 20 && answer; ++i) answer = feed.Answer(run_, state, "");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace evenkeel::coordinator
