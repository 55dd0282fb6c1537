#include "core/engine/result_outbox.h"

#include <gtest/gtest.h>

#include <string>

namespace evenkeel::engine {
namespace {

using model::IndexRange;
using std::chrono::milliseconds;
using std::chrono::seconds;

ResultOutbox::Row RowOf(IndexRange range, Instant started, std::size_t bytes_per_task = 1) {
  ResultOutbox::Row row;
  row.started = started;
  row.ended = started + milliseconds(10);
  row.completed.range = range;
  row.completed.busy = milliseconds(10);
  for (std::int64_t i = 0; i < range.Size(); ++i) {
    row.completed.results.Append(std::string(bytes_per_task, 'x'));
  }
  return row;
}

TEST(ResultOutbox, KeepsResultsUntilTheyAreAcknowledged) {
  const Instant now{seconds(5)};
  ResultOutbox outbox;
  outbox.Add(RowOf({3, 7}, now, 100));
  EXPECT_EQ(outbox.KeptBytes(), 400);
  EXPECT_EQ(outbox.UnreportedBytes(), 400U);
  const auto reports = outbox.TakeReports(now + milliseconds(30));
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_EQ(reports[0].completed.size(), 1U);
  EXPECT_EQ(reports[0].completed[0].started_ago, milliseconds(30));
  EXPECT_EQ(reports[0].completed[0].ended_ago, milliseconds(20));
  EXPECT_FALSE(outbox.HasUnreported());
  EXPECT_TRUE(outbox.HasUnacknowledged());
  EXPECT_EQ(outbox.UnreportedBytes(), 0U);
  EXPECT_EQ(outbox.KeptBytes(), 400);
  outbox.OnAcknowledged({3, 6});
  EXPECT_TRUE(outbox.HasUnacknowledged()) << "that is another range";
  outbox.OnAcknowledged({3, 7});
  EXPECT_FALSE(outbox.HasUnacknowledged());
  EXPECT_EQ(outbox.KeptBytes(), 0);
}

TEST(ResultOutbox, WithNothingToReportThereIsOneEmptyReport) {
  ResultOutbox outbox;
  EXPECT_EQ(outbox.TakeReports(Instant{}), (std::vector<Report>{Report{}}));
}

TEST(ResultOutbox, AGapInTimeOrIndexStartsANewRow) {
  const Instant now{seconds(5)};
  ResultOutbox outbox;
  outbox.Add(RowOf({0, 1}, now));
  outbox.Add(RowOf({1, 2}, now + milliseconds(10)));
  outbox.Add(RowOf({2, 3}, now + milliseconds(40)));
  outbox.Add(RowOf({4, 5}, now + milliseconds(50)));
  const auto reports = outbox.TakeReports(now + seconds(1));
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_EQ(reports[0].completed.size(), 3U);
  EXPECT_EQ(reports[0].completed[0].range, (IndexRange{0, 2}));
  EXPECT_EQ(reports[0].completed[0].busy, milliseconds(20));
}

TEST(ResultOutbox, AReportIsBoundedAndNothingIsLeftOut) {
  ResultOutbox outbox;
  for (int i = 0; i < 20; ++i) outbox.Add(RowOf({2 * i, 2 * i + 1}, Instant{}, 100'000));
  outbox.AddFailure({50, "no", {}, GrantId{1}, 1, std::string(200'000, 'y')});
  EXPECT_EQ(outbox.KeptBytes(), 2'200'000);
  std::size_t rows = 0;
  std::size_t failures = 0;
  for (const Report& report : outbox.TakeReports(Instant{})) {
    std::size_t bytes = 0;
    for (const auto& row : report.completed) bytes += row.results.Bytes().size();
    for (const auto& failed : report.failed) bytes += failed.record.size();
    EXPECT_LE(bytes, ResultOutbox::kReportBytes);
    rows += report.completed.size();
    failures += report.failed.size();
  }
  EXPECT_EQ(rows, 20U);
  EXPECT_EQ(failures, 1U);
  EXPECT_EQ(outbox.KeptBytes(), 2'000'000) << "failures are not kept";
}

TEST(ResultOutbox, GrantsOfFailuresCanBeForgotten) {
  ResultOutbox outbox;
  outbox.AddFailure({5, "no", {}, GrantId{7}, {}, {}});
  outbox.ForgetGrants();
  EXPECT_EQ(outbox.TakeReports(Instant{})[0].failed[0].grant, GrantId{});
}

// Rows were once put at the front of a vector one by one: 200,000 rows would take 2 * 10^10 moves
// here, far beyond the time limit of a test.
TEST(ResultOutbox, ReportsManyUnacknowledgedRowsAgainInLinearTime) {
  constexpr int kRows = 200'000;
  ResultOutbox outbox;
  for (int i = 0; i < kRows; ++i) outbox.Add(RowOf({2 * i, 2 * i + 1}, Instant{}));
  static_cast<void>(outbox.TakeReports(Instant{}));
  outbox.Add(RowOf({2 * kRows, 2 * kRows + 1}, Instant{}));
  outbox.ReportAgain();
  EXPECT_FALSE(outbox.HasUnacknowledged());
  EXPECT_EQ(outbox.Unreported().size(), kRows + 1U);
  EXPECT_EQ(outbox.UnreportedBytes(), kRows + 1U);
  EXPECT_EQ(outbox.KeptBytes(), kRows + 1);
  static_cast<void>(outbox.TakeReports(Instant{}));
  for (int i = kRows; i >= 0; --i) outbox.OnAcknowledged({2 * i, 2 * i + 1});  // in any order
  EXPECT_EQ(outbox.KeptBytes(), 0);
}

}  // namespace
}  // namespace evenkeel::engine
