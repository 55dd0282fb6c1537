#include "report/timeline_digest.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/rng.h"

namespace evenkeel::report {
namespace {

using model::ResultRecord;
using model::RunKind;
using model::TimelineEvent;

ResultRecord Record(const std::string& node, double start, double end, model::IndexRange range,
                    RunKind kind = RunKind::kPlanned) {
  ResultRecord record;
  record.node = node;
  record.started = FromSeconds(start);
  record.ended = FromSeconds(end);
  record.busy = FromSeconds((end - start) / 2);
  record.range = range;
  record.kind = kind;
  return record;
}

TEST(TimelineDigest, RangesThatFollowOnBecomeOneBar) {
  TimelineDigest digest({"a"});
  digest.Add(Record("a", 0, 10, {0, 5}));
  digest.Add(Record("a", 20, 30, {9, 12}));  // skipped an index
  digest.Add(Record("a", 10, 20, {5, 8}));
  digest.Add(Record("a", 30, 40, {12, 15}, RunKind::kStolen));
  digest.Condense(100, 100);
  ASSERT_EQ(digest.Bars().size(), 3u);
  const TimelineBar& first = digest.Bars()[0];
  EXPECT_EQ(first.range, (model::IndexRange{0, 8}));
  EXPECT_EQ(first.tasks, 8);
  EXPECT_EQ(first.ranges, 2);
  EXPECT_EQ(first.end, FromSeconds(20));
  EXPECT_EQ(first.busy, FromSeconds(10));
  EXPECT_EQ(digest.Bars()[2].kind, RunKind::kStolen);
  EXPECT_EQ(digest.RangeCount(), 4);
  EXPECT_EQ(digest.HiddenPause(), Duration::zero());
}

TEST(TimelineDigest, APauseStaysVisible) {
  TimelineDigest digest({"a"});
  digest.Add(Record("a", 0, 10, {0, 5}));
  digest.Add(Record("a", 11, 20, {5, 8}));
  digest.Condense(100, 100);
  EXPECT_EQ(digest.Bars().size(), 2u);
}

TEST(TimelineDigest, BarsThatOverlapGetTracksOfTheirOwn) {
  TimelineDigest digest({"a"});
  digest.Add(Record("a", 0, 10, {0, 5}));
  digest.Add(Record("a", 0, 12, {5, 9}));
  digest.Add(Record("a", 11, 20, {20, 25}));
  digest.Condense(100, 100);
  EXPECT_EQ(digest.Tracks(), (std::vector<std::uint32_t>{2}));
  ASSERT_EQ(digest.Bars().size(), 3u);
  EXPECT_EQ(digest.Bars()[1].range.begin, 20);  // on the first track again
}

TEST(TimelineDigest, WorkersKeepTheirOrderAndNewOnesFollow) {
  TimelineDigest digest({"z", "a"});
  digest.Add(Record("m", 0, 1, {0, 1}));
  TimelineEvent lost;
  lost.kind = TimelineEvent::Kind::kLost;
  lost.node = "b";
  digest.Add(lost);
  digest.Condense(100, 100);
  EXPECT_EQ(digest.Workers(), (std::vector<std::string>{"z", "a", "m", "b"}));
}

TEST(TimelineDigest, TooManyBarsAreJoinedAndNoTaskIsLost) {
  Rng rng(3);
  TimelineDigest digest({});
  std::int64_t tasks = 0;
  constexpr std::int64_t kWorkers = 40;
  for (std::int64_t worker = 0; worker < kWorkers; ++worker) {
    double now = 0;
    for (int i = 0; i < 500; ++i) {
      const double end = now + rng.Uniform(0.01, 0.2);
      const auto kind = rng.Chance(0.3) ? RunKind::kStolen : RunKind::kPlanned;
      const model::TaskIndex begin = rng.Between(0, 1000000);
      digest.Add(Record("w" + std::to_string(worker), now, end, {begin, begin + 3}, kind));
      tasks += 3;
      now = end + rng.Uniform(0.02, 0.2);
    }
  }
  digest.Condense(1000, 100);
  EXPECT_LE(digest.Bars().size(), 1000u);
  EXPECT_GE(digest.Bars().size(), 2u * kWorkers);
  EXPECT_GT(digest.HiddenPause(), Duration::zero());
  std::int64_t drawn = 0;
  for (const TimelineBar& bar : digest.Bars()) drawn += bar.tasks;
  EXPECT_EQ(drawn, tasks);
  EXPECT_EQ(digest.RangeCount(), 500 * kWorkers);
}

TEST(TimelineDigest, ThinsEventsByKindAndKeepsTheLast) {
  TimelineDigest digest({"a"});
  for (int i = 999; i >= 0; --i) {
    TimelineEvent eta;
    eta.start = FromSeconds(i);
    digest.Add(eta);
  }
  TimelineEvent lost;
  lost.kind = TimelineEvent::Kind::kLost;
  lost.node = "a";
  digest.Add(lost);
  digest.Condense(100, 100);
  EXPECT_EQ(digest.EventCount(), 1001);
  EXPECT_EQ(digest.Events().size(), 101u);
  EXPECT_EQ(digest.Events().back().start, FromSeconds(999));
  EXPECT_TRUE(std::is_sorted(digest.Events().begin(), digest.Events().end(),
                             [](const auto& a, const auto& b) { return a.start < b.start; }));
}

TEST(TimelineDigest, NothingGivesNothing) {
  TimelineDigest digest({});
  digest.Condense(100, 100);
  EXPECT_TRUE(digest.Bars().empty());
  EXPECT_TRUE(digest.Progress().Cumulative().empty());
}

TEST(ProgressCurve, CountsEveryTaskWhateverTheLength) {
  for (const double length : {0.001, 1.0, 45.0, 86400.0}) {
    ProgressCurve curve;
    curve.Add(FromSeconds(0), FromSeconds(length / 2), 30);
    curve.Add(FromSeconds(length / 2), FromSeconds(length), 10);
    const std::vector<double> done = curve.Cumulative();
    ASSERT_FALSE(done.empty());
    EXPECT_LE(done.size(), 512u);
    EXPECT_NEAR(done.back(), 40, 1e-6) << length;
    EXPECT_NEAR(ToSeconds(curve.Step()) * static_cast<double>(done.size()), length,
                2 * ToSeconds(curve.Step()));
  }
}

TEST(ProgressCurve, IsEvenWithinARange) {
  ProgressCurve curve;
  curve.Add(FromSeconds(0), FromSeconds(100), 1000);
  const std::vector<double> done = curve.Cumulative();
  const double step = ToSeconds(curve.Step());
  for (std::size_t i = 0; i + 1 < done.size(); ++i) {
    EXPECT_NEAR(done[i], 10 * step * static_cast<double>(i + 1), 1e-6);
  }
}

}  // namespace
}  // namespace evenkeel::report
