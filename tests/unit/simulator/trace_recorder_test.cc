#include "simulator/trace_recorder.h"

#include <gtest/gtest.h>

#include <vector>

namespace evenkeel::simulator {
namespace {

constexpr Instant kOneSecond{std::chrono::seconds(1)};

TEST(TraceRecorder, WritesLinesWithTheirTimes) {
  std::vector<std::string> lines;
  TraceRecorder recorder([&](const std::string& line) { lines.push_back(line); }, false);
  EXPECT_TRUE(recorder.RecordsDeliveries());
  recorder.Note(kOneSecond, "killed: a");
  recorder.Delivered(kOneSecond, "a -> goodbye");
  EXPECT_EQ(lines,
            (std::vector<std::string>{"    1.000000 killed: a", "    1.000000 a -> goodbye"}));
  EXPECT_EQ(recorder.deliveries(), 1);
}

TEST(TraceRecorder, TheDigestDependsOnTimesAndOrder) {
  const auto digest_of = [](std::vector<std::pair<Instant, std::string>> deliveries) {
    TraceRecorder recorder({}, true);
    for (const auto& [at, message] : deliveries) recorder.Delivered(at, message);
    return recorder.DigestText();
  };
  const Instant later = kOneSecond + Duration{1};
  const std::string digest = digest_of({{kOneSecond, "a"}, {kOneSecond, "b"}});
  EXPECT_EQ(digest, digest_of({{kOneSecond, "a"}, {kOneSecond, "b"}}));
  EXPECT_NE(digest, digest_of({{kOneSecond, "b"}, {kOneSecond, "a"}}));
  EXPECT_NE(digest, digest_of({{kOneSecond, "a"}, {later, "b"}}));
}

TEST(TraceRecorder, RecordsNothingUnlessAsked) {
  const TraceRecorder recorder({}, false);
  EXPECT_FALSE(recorder.RecordsDeliveries());
  EXPECT_FALSE(recorder.Writes());
}

}  // namespace
}  // namespace evenkeel::simulator
