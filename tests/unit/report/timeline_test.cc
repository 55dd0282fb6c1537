#include "report/timeline.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <vector>

#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::report {
namespace {

using model::ResultRecord;
using model::RunKind;
using model::TimelineEvent;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

ResultRecord Record(RunKind kind) {
  ResultRecord record;
  record.range = {10, 20};
  record.node = "pi4 \"a\"";
  record.started = microseconds(1500000);
  record.ended = microseconds(3000001);
  record.busy = microseconds(1400000);
  record.kind = kind;
  return record;
}

TEST(Timeline, ARangeIsOneLineOfTheKnownShape) {
  EXPECT_EQ(TimelineLine(Record(RunKind::kStolen)),
            "{\"worker\":\"pi4 \\\"a\\\"\",\"start\":1.500000,\"end\":3.000001,\"range\":[10,20],"
            "\"kind\":\"stolen\",\"busy\":1.400000}\n");
}

TEST(Timeline, RoundsToMicroseconds) {
  TimelineEvent event;
  event.kind = TimelineEvent::Kind::kLost;
  event.node = "a";
  event.start = nanoseconds(1999999499);
  EXPECT_EQ(TimelineLine(event), "{\"kind\":\"lost\",\"worker\":\"a\",\"start\":1.999999}\n");
  event.start = nanoseconds(1999999500);
  EXPECT_EQ(TimelineLine(event), "{\"kind\":\"lost\",\"worker\":\"a\",\"start\":2.000000}\n");
  event.start = nanoseconds(-1500);
  EXPECT_EQ(TimelineLine(event), "{\"kind\":\"lost\",\"worker\":\"a\",\"start\":-0.000002}\n");
}

TEST(Timeline, RangesReadBack) {
  for (const RunKind kind : {RunKind::kPlanned, RunKind::kStolen, RunKind::kCopy}) {
    const ResultRecord want = Record(kind);
    const auto entry = ParseTimelineLine(TimelineLine(want));
    ASSERT_TRUE(entry) << entry.error().message;
    const auto& got = std::get<ResultRecord>(*entry);
    EXPECT_EQ(got.range, want.range);
    EXPECT_EQ(got.node, want.node);
    EXPECT_EQ(got.started, want.started);
    EXPECT_EQ(got.ended, want.ended);
    EXPECT_EQ(got.busy, want.busy);
    EXPECT_EQ(got.kind, want.kind);
  }
}

void ExpectEqual(const TimelineEvent& got, const TimelineEvent& want) {
  EXPECT_EQ(got.kind, want.kind);
  EXPECT_EQ(got.start, want.start);
  EXPECT_EQ(got.end, want.end);
  EXPECT_EQ(got.sigma, want.sigma);
  EXPECT_EQ(got.node, want.node);
  EXPECT_EQ(got.from_node, want.from_node);
  EXPECT_EQ(got.tasks, want.tasks);
  EXPECT_EQ(got.detail, want.detail);
}

TEST(Timeline, EventsReadBack) {
  using Kind = TimelineEvent::Kind;
  const Duration start = microseconds(1);
  const Duration end = microseconds(86400000001);
  const std::vector<TimelineEvent> events = {
      {Kind::kStage, start, end, {}, "", "", 0, "2"},
      {Kind::kMaster, start, end, {}, "pi4", "", 0, ""},
      {Kind::kMove, start, {}, {}, "pi4", "pi3", 7, "leased"},
      {Kind::kEta, start, end, microseconds(250000), "", "", 0, ""},
      {Kind::kLost, start, {}, {}, "pi4", "", 0, ""},
      {Kind::kJoined, start, {}, {}, "pi4", "", 0, ""},
  };
  for (const TimelineEvent& want : events) {
    const auto entry = ParseTimelineLine(TimelineLine(want));
    ASSERT_TRUE(entry) << TimelineLine(want) << entry.error().message;
    ExpectEqual(std::get<TimelineEvent>(*entry), want);
  }
}

TEST(Timeline, AnEtaWithoutEndCanBeWrittenAndRead) {
  TimelineEvent event;
  event.end = Duration::max();
  EXPECT_TRUE(ParseTimelineLine(TimelineLine(event)));
}

TEST(Timeline, WritesAndReadsAFile) {
  const TemporaryFolder folder;
  const auto path = folder.Path() / "timeline.jsonl";
  {
    auto writer = TimelineWriter::Create(path);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->Write(Record(RunKind::kPlanned)));
    ASSERT_TRUE(writer->Write(TimelineEvent{}));
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE(writer->Commit());
  }
  std::vector<std::size_t> alternatives;
  ASSERT_TRUE(
      ReadTimeline(path, [&](const TimelineEntry& e) { alternatives.push_back(e.index()); }));
  EXPECT_EQ(alternatives, (std::vector<std::size_t>{0, 1}));
}

TEST(Timeline, AnAbandonedWriterLeavesNothing) {
  const TemporaryFolder folder;
  { ASSERT_TRUE(TimelineWriter::Create(folder.Path() / "timeline.jsonl")->Write(TimelineEvent{})); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.Path()));
}

TEST(Timeline, NamesTheBadLineAndTheReason) {
  const std::string good = TimelineLine(Record(RunKind::kPlanned));
  struct Case {
    std::string line;
    const char* want;
  };
  const std::vector<Case> cases = {
      {"{\"kind\":", "is not a JSON object"},
      {"[]", "is not a JSON object"},
      {"{}", "kind: missing"},
      {"{\"kind\":\"idle\"}",
       "kind: one of planned, stolen, copy, stage, master, move, eta, lost, joined expected"},
      {"{\"kind\":\"lost\",\"start\":1}", "worker: missing"},
      {"{\"kind\":\"lost\",\"worker\":\"a\",\"start\":\"1\"}", "start: number expected"},
      {R"({"worker":"a","start":1,"end":2,"range":[5,5],"kind":"planned","busy":1})",
       "range: 0 <= begin < end expected"},
      {R"({"worker":"a","start":1,"end":2,"range":[5],"kind":"planned","busy":1})",
       "range: [begin, end] expected"},
      {R"({"worker":"a","start":2,"end":1,"range":[5,6],"kind":"planned","busy":1})",
       "end: is before start"},
  };
  const TemporaryFolder folder;
  const auto path = folder.Path() / "timeline.jsonl";
  for (const Case& bad : cases) {
    std::ofstream(path) << good << "\n" << bad.line << "\n" << good;
    int visited = 0;
    const auto read = ReadTimeline(path, [&](const TimelineEntry&) { ++visited; });
    ASSERT_FALSE(read) << bad.line;
    EXPECT_EQ(read.error().message, path.string() + ":3: " + bad.want);
    EXPECT_EQ(visited, 1);
  }
}

}  // namespace
}  // namespace evenkeel::report
