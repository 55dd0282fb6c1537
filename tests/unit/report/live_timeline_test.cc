#include "report/live_timeline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evenkeel::report {
namespace {

using EventKind = model::TimelineEvent::Kind;

nlohmann::json Parsed(const std::string& text) { return nlohmann::json::parse(text); }

model::TimelineEvent Event(EventKind kind, int second, const std::string& node = "") {
  model::TimelineEvent event;
  event.kind = kind;
  event.start = std::chrono::seconds(second);
  event.node = node;
  return event;
}

TEST(LiveTimeline, AReaderIsToldWhatIsNewToIt) {
  LiveTimeline timeline;
  EXPECT_EQ(Parsed(timeline.Json(0))["lanes"], nlohmann::json::array());
  EXPECT_EQ(timeline.LaneOf("a"), 0U);
  EXPECT_EQ(timeline.LaneOf("b"), 1U);
  EXPECT_EQ(timeline.LaneOf("a"), 0U);
  model::ResultRecord record;
  record.node = "b";
  record.range = {0, 7};
  record.ended = record.busy = std::chrono::milliseconds(2);
  timeline.Add(record);
  timeline.Add(Event(EventKind::kLost, 3, "<b>"));
  const Mark first = timeline.Advance();
  auto said = Parsed(timeline.Json(0));
  EXPECT_EQ(said["lanes"].size(), 1U);
  EXPECT_EQ(said["lanes"][0][0], 1);
  EXPECT_EQ(said["events"][0]["worker"], "<b>");
  EXPECT_EQ(said["progress"]["tasks"].back(), 7);

  timeline.Add(Event(EventKind::kEta, 4));
  const Mark second = timeline.Advance();
  said = Parsed(timeline.Json(first));
  EXPECT_EQ(said["lanes"], nlohmann::json::array());
  EXPECT_EQ(said["events"].size(), 1U);
  EXPECT_EQ(said["events"][0]["kind"], "eta");
  EXPECT_EQ(Parsed(timeline.Json(second))["events"], nlohmann::json::array());
}

TEST(LiveTimeline, EventsAreBounded) {
  LiveTimeline timeline;
  for (int i = 0; i < 5000; ++i) {
    timeline.Add(Event(EventKind::kEta, i));
    timeline.Add(Event(EventKind::kLost, i, "a"));
  }
  const auto events = Parsed(timeline.Json(0))["events"];
  EXPECT_LE(events.size(), 2 * LiveTimeline::kMostEvents);
  EXPECT_EQ(events[0]["start"], 0);  // the first prediction stays, the others are thinned
  EXPECT_EQ(events.back()["start"], 4999);
}

TEST(LiveTimeline, MovesAreToldWhereTheyAreDrawn) {
  LiveTimeline few;
  (void)few.LaneOf("a");
  few.Add(Event(EventKind::kMove, 1, "a"));
  EXPECT_EQ(Parsed(few.Json(0))["events"].size(), 1U);
  LiveTimeline many;
  for (int i = 0; i < 17; ++i) (void)many.LaneOf(std::to_string(i));
  many.Add(Event(EventKind::kMove, 1, "1"));
  EXPECT_EQ(Parsed(many.Json(0))["events"], nlohmann::json::array());
}

TEST(LiveTimeline, KnownThreadsChangeWhatWasTold) {
  LiveTimeline timeline;
  (void)timeline.LaneOf("a");
  model::ResultRecord record;
  record.node = "a";
  record.range = {0, 1};
  record.ended = record.busy = std::chrono::seconds(1);
  timeline.Add(record);
  const Mark mark = timeline.Advance();
  timeline.SetThreads(0, 0);
  EXPECT_EQ(Parsed(timeline.Json(mark))["lanes"], nlohmann::json::array());
  timeline.SetThreads(0, 4);
  EXPECT_EQ(Parsed(timeline.Json(mark))["lanes"].size(), 1U);
}

}  // namespace
}  // namespace evenkeel::report
