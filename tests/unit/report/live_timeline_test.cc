#include "report/live_timeline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/rng.h"

namespace evenkeel::report {
namespace {

using EventKind = model::TimelineEvent::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

nlohmann::json Parsed(const std::string& text) { return nlohmann::json::parse(text); }

model::TimelineEvent Event(EventKind kind, int second, const std::string& node = "") {
  model::TimelineEvent event;
  event.kind = kind;
  event.start = std::chrono::seconds(second);
  event.node = node;
  return event;
}

TEST(LiveTimeline, AReaderGetsItsNewEntries) {
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

TEST(LiveTimeline, MovesAreReportedAtTheirPositions) {
  LiveTimeline few;
  (void)few.LaneOf("a");
  few.Add(Event(EventKind::kMove, 1, "a"));
  EXPECT_EQ(Parsed(few.Json(0))["events"].size(), 1U);
  LiveTimeline many;
  for (int i = 0; i < 17; ++i) (void)many.LaneOf(std::to_string(i));
  many.Add(Event(EventKind::kMove, 1, "1"));
  EXPECT_EQ(Parsed(many.Json(0))["events"], nlohmann::json::array());
}

TEST(LiveTimeline, KnownThreadsChangeSentBars) {
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

model::ResultRecord Ran(Duration start, Duration end,
                        model::RunKind kind = model::RunKind::kPlanned) {
  model::ResultRecord record;
  record.started = start;
  record.ended = end;
  record.busy = end - start;
  record.kind = kind;
  return record;
}

std::string Text(const LaneCells& cells, std::size_t lane, Mark since, std::uint32_t threads = 1) {
  std::string out;
  cells.Append(lane, since, threads, out);
  return out;
}

/// The sum of all levels in fifteenths of a cell, as a reader decodes them.
int Levels(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  int sum = 0;
  for (std::size_t at = text.find('"') + 1; at + 1 < text.rfind('"'); at += 2) {
    const auto bits = digits.find(text[at]) << 6 | digits.find(text[at + 1]);
    sum += static_cast<int>((bits >> 8) + (bits >> 4 & 15) + (bits & 15));
  }
  return sum;
}

TEST(LaneCells, ACellHasTheBusyPartOfEachKind) {
  LaneCells cells;
  cells.MakeLanes(2);
  cells.Add(1, Ran(milliseconds(0), milliseconds(4)), 1);
  cells.Add(1, Ran(milliseconds(4), milliseconds(5), model::RunKind::kStolen), 1);
  EXPECT_EQ(Text(cells, 0, 0), "");
  // Two cells full as planned (15, 0, 0), one half stolen (0, 8, 0).
  EXPECT_EQ(Text(cells, 1, 0), R"([1,0,"8A8ACA"],)");
  // Of two threads it is half of it.
  EXPECT_EQ(Text(cells, 1, 0, 2), R"([1,0,"gAgABA"],)");
}

TEST(LaneCells, OnlyNewCellsAreReturned) {
  LaneCells cells;
  cells.MakeLanes(1);
  cells.Add(0, Ran(milliseconds(0), milliseconds(4)), 1);
  EXPECT_EQ(Text(cells, 0, 1), "");
  cells.Add(0, Ran(milliseconds(4), milliseconds(6)), 2);
  EXPECT_EQ(Text(cells, 0, 1), R"([0,2,"8AAA"],)");
  cells.Touch(0, 3);
  EXPECT_EQ(Text(cells, 0, 2).substr(0, 5), "[0,0,");
}

TEST(LaneCells, CellsGrowWiderInsteadOfMore) {
  LaneCells cells;
  cells.MakeLanes(1);
  cells.Add(0, Ran(seconds(0), seconds(1)), 1);
  const std::uint32_t before = cells.Generation();
  cells.Add(0, Ran(seconds(1), seconds(1000)), 2);
  EXPECT_NE(cells.Generation(), before);
  const std::string text = Text(cells, 0, 0);
  EXPECT_LE(text.size(), 2 * LaneCells::kMostCells + 12);
  // Nothing is lost in the folding: the run was busy all the time.
  EXPECT_NEAR(Levels(text) / 15.0 * ToSeconds(cells.Step()), 1000, 2);
}

TEST(LaneCells, OrderDoesNotMatter) {
  Rng rng(11);
  std::vector<model::ResultRecord> ran;
  for (int i = 0; i < 500; ++i) {
    const Duration start = FromSeconds(rng.Uniform(0, 300));
    ran.push_back(Ran(start, start + FromSeconds(rng.Uniform(0, 1))));
  }
  LaneCells forwards;
  LaneCells backwards;
  forwards.MakeLanes(1);
  backwards.MakeLanes(1);
  for (std::size_t i = 0; i < ran.size(); ++i) {
    forwards.Add(0, ran[i], 1);
    backwards.Add(0, ran[ran.size() - 1 - i], 1);
  }
  EXPECT_EQ(forwards.Step(), backwards.Step());
  // Sums of rounded parts may differ in the last place.
  EXPECT_NEAR(Levels(Text(forwards, 0, 0)), Levels(Text(backwards, 0, 0)), 5);
}

TEST(LaneCells, ManyLanesShareTheRoom) {
  LaneCells cells;
  for (std::size_t lanes = 1; lanes <= 1000; ++lanes) {
    cells.MakeLanes(lanes);
    cells.Add(lanes - 1, Ran(seconds(0), seconds(1)), 1);
  }
  cells.Add(0, Ran(seconds(1), seconds(100)), 1);
  std::size_t bytes = 0;
  for (std::size_t lane = 0; lane < cells.Lanes(); ++lane) bytes += Text(cells, lane, 0).size();
  EXPECT_GT(bytes, 1000U);
  for (std::size_t lane = 0; lane < 1000; ++lane) {
    cells.Add(lane, Ran(seconds(0), seconds(200)), 2);
  }
  bytes = 0;
  for (std::size_t lane = 0; lane < cells.Lanes(); ++lane) bytes += Text(cells, lane, 0).size();
  EXPECT_LE(bytes, 1000 * (2 * LaneCells::kCells / 1000 + 16));
}

TEST(LaneCells, StrangeTimesDoNoHarm) {
  LaneCells cells;
  cells.MakeLanes(1);
  cells.Add(0, Ran(seconds(-5), seconds(-1)), 1);
  cells.Add(0, Ran(seconds(3), seconds(2)), 1);
  cells.Add(0, Ran(seconds(0), std::chrono::hours(24 * 365)), 1);
  EXPECT_LE(Text(cells, 0, 0).size(), 2 * LaneCells::kMostCells + 12);
}

}  // namespace
}  // namespace evenkeel::report
