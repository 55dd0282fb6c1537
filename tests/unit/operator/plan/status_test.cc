#include "operator/plan/status.h"

#include <gtest/gtest.h>

#include "operator/plan/plan_builder.h"
#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

using std::chrono::seconds;

constexpr platform::Timestamp kRunStart{seconds(1'000'000)};

cluster::JobStatus Running(const std::string& progress) {
  cluster::JobStatus status;
  status.observed_generation = 1;
  status.progress = progress;
  status.conditions = {
      {"Progressing", cluster::Condition::Status::kTrue, "Running", "", 1, kRunStart}};
  return status;
}

TEST(DecideStatusWrite, NeverWritesWhatHasNotChanged) {
  EXPECT_FALSE(DecideStatusWrite(Running("3%"), Running("3%"), kRunStart, std::nullopt).write);
  EXPECT_EQ(DecideStatusWrite(Running("3%"), Running("3%"), kRunStart, kRunStart).due,
            std::nullopt);
}

TEST(DecideStatusWrite, WritesEveryTenSecondsOrFivePercent) {
  const auto rule = [](const char* from, const char* to, int age) {
    return DecideStatusWrite(Running(from), Running(to), kRunStart + seconds(age), kRunStart);
  };
  EXPECT_FALSE(rule("3%", "4%", 9).write);
  EXPECT_EQ(rule("3%", "4%", 9).due, seconds(1));
  EXPECT_TRUE(rule("3%", "4%", 10).write);
  EXPECT_FALSE(rule("3%", "7%", 1).write);
  EXPECT_TRUE(rule("3%", "8%", 1).write);
  EXPECT_TRUE(rule("60%", "0%", 1).write);  // started again
  EXPECT_TRUE(DecideStatusWrite(Running("3%"), Running("4%"), kRunStart, std::nullopt).write);
}

TEST(DecideStatusWrite, AnEstimateThatMovesByATenthOfTheTimeLeftIsWrittenAfterThreeSeconds) {
  const auto rule = [](std::optional<int> from, std::optional<int> to, int age) {
    cluster::JobStatus known = Running("3%");
    cluster::JobStatus next = Running("3%");
    if (from) known.estimated_completion_time = kRunStart + seconds(*from);
    if (to) next.estimated_completion_time = kRunStart + seconds(*to);
    return DecideStatusWrite(known, next, kRunStart + seconds(age), kRunStart);
  };
  EXPECT_TRUE(rule(103, 154, 3).write);
  EXPECT_TRUE(rule(154, 103, 3).write);
  EXPECT_FALSE(rule(103, 154, 2).write);
  EXPECT_EQ(rule(103, 154, 2).due, seconds(1));
  EXPECT_FALSE(rule(103, 113, 3).write);  // a tenth of the time left is 11 s
  EXPECT_TRUE(rule(103, 115, 3).write);
  EXPECT_FALSE(rule(13, 18, 3).write);  // 5 s are little, however near the end is
  EXPECT_TRUE(rule(13, 19, 3).write);
  EXPECT_FALSE(rule(std::nullopt, 154, 3).write);
  EXPECT_FALSE(rule(154, std::nullopt, 3).write);
}

TEST(DecideStatusWrite, WritesChangesOfConditionsAtOnce) {
  cluster::JobStatus next = Running("3%");
  next.conditions[0].reason = "StartedAgain";
  EXPECT_TRUE(DecideStatusWrite(Running("3%"), next, kRunStart, kRunStart).write);
  next = Running("3%");
  next.conditions[0].status = cluster::Condition::Status::kFalse;
  EXPECT_TRUE(DecideStatusWrite(Running("3%"), next, kRunStart, kRunStart).write);
  next = Running("3%");
  next.conditions.push_back(
      {"Complete", cluster::Condition::Status::kTrue, "Done", "", 1, kRunStart});
  EXPECT_TRUE(DecideStatusWrite(Running("3%"), next, kRunStart, kRunStart).write);
  next = Running("3%");
  next.observed_generation = 2;
  EXPECT_TRUE(DecideStatusWrite(Running("3%"), next, kRunStart, kRunStart).write);
  next = Running("3%");
  next.conditions[0].message = "1 of 3 workers waits";  // may wait
  EXPECT_FALSE(DecideStatusWrite(Running("3%"), next, kRunStart, kRunStart).write);
}

TEST(DecideStatusWrite, WritesWhenTheClockWasSetBack) {
  EXPECT_TRUE(
      DecideStatusWrite(Running("3%"), Running("4%"), kRunStart - seconds(1), kRunStart).write);
}

TEST(OneLine, CutsBetweenCharactersAndReplacesControls) {
  EXPECT_EQ(OneLine("a\nb\x7f", 10), "a b ");
  EXPECT_EQ(OneLine("\u00e9\u00e9\u00e9\u00e9\u00e9", 8), "\u00e9\u00e9...");
  EXPECT_EQ(OneLine("\u00e9\u00e9\u00e9\u00e9", 8), "\u00e9\u00e9\u00e9\u00e9");
}

TEST(CappedIndexes, KeepsWholeRangesAndCountsTheRest) {
  EXPECT_EQ(CappedIndexes("3,7-9", 4, 100), "3,7-9");
  EXPECT_EQ(CappedIndexes("", 0, 100), "");
  EXPECT_EQ(CappedIndexes("100,200,300,400,500", 5, 18), "100,... (5 in all)");
  EXPECT_EQ(CappedIndexes("3,7-9,...", 1234, 100), "3,7-9,... (1234 in all)");
  EXPECT_EQ(CappedIndexes("123456789012345678901234567890", 5, 20), "... (5 in all)");
  for (std::size_t limit = 16; limit < 60; ++limit) {
    EXPECT_LE(CappedIndexes("100-200,300-400,500-600,700-800,900", 500, limit).size(), limit);
  }
}

class Figures : public testing::Test {
 protected:
  Figures() {
    cluster_.AddNode(Pi4("a"));
    cluster_.AddNode(Pi3("b"));
    cluster_.Rest();
  }
  ModelCluster cluster_;
};

TEST_F(Figures, ComeFromTheCoordinator) {
  cluster_.progress.tasks = {100, 63, 2};
  cluster_.progress.fraction = 0.639;
  cluster_.progress.eta = seconds(30);
  cluster_.progress.failed_indexes = "3,7";
  cluster_.progress.workers = {{"b", 1, true, 20, 11, 1, 5, "Running"},
                               {"a", 4.2, true, 80, 52, 3, 9, "Waiting"}};
  cluster_.Advance(seconds(10));
  cluster_.Step();
  const cluster::JobStatus& status = cluster_.job.status;
  EXPECT_EQ(status.tasks, (cluster::TaskCounts{100, 63, 2}));
  EXPECT_EQ(status.progress, "63%");
  EXPECT_EQ(status.failed_indexes, "3,7");
  EXPECT_EQ(status.estimated_completion_time, platform::WholeSeconds(cluster_.now + seconds(30)));
  EXPECT_EQ(status.active_workers, 2);
  ASSERT_EQ(status.workers.size(), 2U);
  const cluster::WorkerRow heavy{"a",    cluster_.WorkerOn("a")->weight, 80, 52, 3, "Waiting",
                                 "Fuzzy"};
  EXPECT_EQ(status.workers[0], heavy);
  EXPECT_EQ(status.workers[1], (cluster::WorkerRow{"b", 1, 20, 11, 1, "Running", "Fuzzy"}));
}

TEST_F(Figures, FluctuationsOfTheEstimateAreNotWritten) {
  cluster_.progress.eta = seconds(100);
  cluster_.Advance(seconds(10));
  cluster_.Step();
  const auto eta = cluster_.job.status.estimated_completion_time;
  ASSERT_TRUE(eta.has_value());
  cluster_.Advance(seconds(20));
  cluster_.progress.eta = seconds(81);
  EXPECT_FALSE(MakePlan(cluster_.Take()).status.has_value());
  cluster_.progress.eta = seconds(90);
  ASSERT_TRUE(MakePlan(cluster_.Take()).status.has_value());
  EXPECT_EQ(*MakePlan(cluster_.Take()).status->estimated_completion_time, *eta + seconds(10));
}

TEST_F(Figures, NinetyNinePercentUntilAllIsDurable) {
  cluster_.progress.fraction = 1.0;
  cluster_.Advance(seconds(10));
  cluster_.Step();
  EXPECT_EQ(cluster_.job.status.progress, "99%");
}

TEST_F(Figures, StayWhileTheCoordinatorRestarts) {
  cluster_.progress.tasks = {100, 50, 0};
  cluster_.progress.fraction = 0.5;
  cluster_.Step();
  cluster_.Coordinator()->ready = false;
  const Plan plan = MakePlan(cluster_.Take());
  const cluster::JobStatus status = plan.status.value_or(cluster_.job.status);
  EXPECT_EQ(status.progress, "50%");
  EXPECT_EQ(status.tasks, (cluster::TaskCounts{100, 50, 0}));
  EXPECT_EQ(status.workers.size(), 2U);
}

TEST_F(Figures, MissedProbesOfACoordinatorThatAnswersChangeNothing) {
  Snapshot snapshot = cluster_.Take();
  for (auto& pod : snapshot.pods) {
    if (pod.role == cluster::PodRole::kCoordinator) pod.ready = false;
  }
  EXPECT_FALSE(MakePlan(snapshot).status.has_value());
  snapshot.report->age = seconds(11);
  ASSERT_TRUE(MakePlan(snapshot).status.has_value());
  EXPECT_EQ(cluster::Find(MakePlan(snapshot).status->conditions, "Progressing")->reason,
            "Starting");
}

TEST_F(Figures, SixtyFourRowsOfTheHeaviestAndNoNodeTwice) {
  for (int i = 0; i < 80; ++i) {
    cluster_.progress.workers.push_back(
        {"n" + std::to_string(i % 70), static_cast<double>(i % 70), true, 1, 1, 0, 1, "Running"});
  }
  cluster_.Advance(seconds(10));
  cluster_.Step();
  const auto& rows = cluster_.job.status.workers;
  ASSERT_EQ(rows.size(), cluster::kMaxWorkerRows);
  EXPECT_EQ(rows[0].node, "n69");
  std::set<std::string> names;
  for (const auto& row : rows) EXPECT_TRUE(names.insert(row.node).second) << row.node;
}

TEST_F(Figures, SetWeightsMeasuredCondition) {
  cluster_.job.spec.weighting.mode = model::WeightingMode::kMeasured;
  cluster_.progress.fraction = 0.5;
  cluster_.Step();
  EXPECT_EQ(cluster_.job.status.workers[0].weight_source, "Fuzzy");  // there is no history yet
}

}  // namespace
}  // namespace evenkeel::plan
