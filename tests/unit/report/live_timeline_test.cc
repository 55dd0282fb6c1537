#include "report/live_timeline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evenkeel::report {
namespace {

using nlohmann::json;
using Kind = model::TimelineEvent::Kind;

model::TimelineEvent Event(Kind kind, int second, const std::string& node = "") {
  model::TimelineEvent event;
  event.kind = kind;
  event.start = std::chrono::seconds(second);
  event.node = node;
  return event;
}

TEST(LiveTimeline, AReaderIsToldWhatIsNewToIt) {
  LiveTimeline timeline;
  EXPECT_EQ(json::parse(timeline.Json(0))["lanes"], json::array());
  EXPECT_EQ(timeline.LaneOf("a"), 0U);
  EXPECT_EQ(timeline.LaneOf("b"), 1U);
  EXPECT_EQ(timeline.LaneOf("a"), 0U);
  model::ResultRecord record;
  record.node = "b";
  record.range = {0, 7};
  record.ended = record.busy = std::chrono::milliseconds(2);
  timeline.Add(record);
  timeline.Add(Event(Kind::kLost, 3, "<b>"));
  const Mark first = timeline.Advance();
  auto said = json::parse(timeline.Json(0));
  EXPECT_EQ(said["lanes"].size(), 1U);
  EXPECT_EQ(said["lanes"][0][0], 1);
  EXPECT_EQ(said["events"][0]["worker"], "<b>");
  EXPECT_EQ(said["progress"]["tasks"].back(), 7);

  timeline.Add(Event(Kind::kEta, 4));
  const Mark second = timeline.Advance();
  said = json::parse(timeline.Json(first));
  EXPECT_EQ(said["lanes"], json::array());
  EXPECT_EQ(said["events"].size(), 1U);
  EXPECT_EQ(said["events"][0]["kind"], "eta");
  EXPECT_EQ(json::parse(timeline.Json(second))["events"], json::array());
}

TEST(LiveTimeline, EventsAreBounded) {
  LiveTimeline timeline;
  for (int i = 0; i < 5000; ++i) {
    timeline.Add(Event(Kind::kEta, i));
    timeline.Add(Event(Kind::kLost, i, "a"));
  }
  const auto events = json::parse(timeline.Json(0))["events"];
  EXPECT_LE(events.size(), 2 * LiveTimeline::kMostEvents);
  EXPECT_EQ(events[0]["start"], 0);  // the first prediction stays, the others are thinned
  EXPECT_EQ(events.back()["start"], 4999);
}

TEST(LiveTimeline, MovesAreToldWhereTheyAreDrawn) {
  LiveTimeline few;
  few.LaneOf("a");
  few.Add(Event(Kind::kMove, 1, "a"));
  EXPECT_EQ(json::parse(few.Json(0))["events"].size(), 1U);
  LiveTimeline many;
  for (int i = 0; i < 17; ++i) many.LaneOf(std::to_string(i));
  many.Add(Event(Kind::kMove, 1, "1"));
  EXPECT_EQ(json::parse(many.Json(0))["events"], json::array());
}

TEST(LiveTimeline, KnownThreadsChangeWhatWasTold) {
  LiveTimeline timeline;
  timeline.LaneOf("a");
  model::ResultRecord record;
  record.node = "a";
  record.range = {0, 1};
  record.ended = record.busy = std::chrono::seconds(1);
  timeline.Add(record);
  const Mark mark = timeline.Advance();
  timeline.SetThreads(0, 0);
  EXPECT_EQ(json::parse(timeline.Json(mark))["lanes"], json::array());
  timeline.SetThreads(0, 4);
  EXPECT_EQ(json::parse(timeline.Json(mark))["lanes"].size(), 1U);
}

}  // namespace
}  // namespace evenkeel::report
