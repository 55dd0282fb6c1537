#include "coordinator/run_outcome.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>

#include "tests/unit/coordinator/empty_journal.h"

namespace evenkeel::coordinator {
namespace {

/// Three tasks in two records, without a file.
class SmallJournal final : public EmptyJournal {
 public:
  Result<void> ForEachRange(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    if (broken) return Fail(ErrorCode::kUnavailable, "gone");
    model::ResultRecord record;
    record.range = {0, 2};
    record.busy = std::chrono::seconds(4);
    if (auto done = visit(record); !done) return done;
    record.range = {2, 3};
    return visit(record);
  }

  bool broken = false;
};

class RunMetricsTest : public testing::Test {
 public:
  ~RunMetricsTest() override { std::filesystem::remove_all(folder_); }

 protected:
  RunMetricsTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "evenkeel-metrics-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    job_.name = "primes";
    job_.profile = "sieve";
    end_.progress.tasks_completed = 3;
    end_.progress.nodes.emplace_back().name = "pi-1";
    end_.traffic.bytes_sent = 17;
    end_.traffic.bytes_received = 23;
  }
  void ExpectLine(const std::string& line) const {
    std::stringstream text;
    text << std::ifstream(folder_ / "metrics.prom").rdbuf();
    EXPECT_NE(text.str().find("\n" + line + "\n"), std::string::npos) << line << " in\n"
                                                                      << text.str();
  }

  std::filesystem::path folder_;
  model::JobSpec job_;
  SmallJournal journal_;
  RunEnd end_;
};

TEST_F(RunMetricsTest, TheFileHasTheEndOfTheRunAndTheDurationsOfTheJournal) {
  ASSERT_TRUE(WriteMetrics(job_, journal_, end_, folder_));
  ExpectLine("evenkeel_tasks_completed_total 3");
  ExpectLine("evenkeel_transfer_bytes_total{direction=\"sent\"} 17");
  ExpectLine("evenkeel_transfer_bytes_total{direction=\"received\"} 23");
  ExpectLine("evenkeel_job_progress_ratio{namespace=\"\",weighted_job=\"primes\"} 0");
  ExpectLine("evenkeel_work_units_total{node=\"pi-1\",profile=\"sieve\"} 0");
  ExpectLine("evenkeel_task_duration_seconds_sum 8");
  ExpectLine("evenkeel_task_duration_seconds_bucket{le=\"2.5\"} 2");
  ExpectLine("evenkeel_task_duration_seconds_bucket{le=\"5\"} 3");
}

TEST(TasksOfAJob, AreDescribedByItsManifest) {
  model::JobSpec job;
  job.profile = "scenes";
  job.workload_parameters = R"({"cost": {"list": [1, 2]}})";
  job.workload = "synthetic";
  EXPECT_TRUE(DescribeTasks(job).notes.empty()) << "these are no costs of commands";
  job.workload = "command";
  job.task_resources.cpu_millicores = 1500;
  const auto description = DescribeTasks(job);
  ASSERT_EQ(description.notes.size(), 2U);
  EXPECT_TRUE(description.notes[0].text.starts_with("listed in the job;"));
  EXPECT_TRUE(description.notes[1].text.starts_with("cpu 1500m;"));
  job.workload_parameters = "not JSON";
  EXPECT_EQ(DescribeTasks(job).notes.size(), 1U);
}

TEST_F(RunMetricsTest, WithoutItsJournalThereIsNoFile) {
  journal_.broken = true;
  const auto written = WriteMetrics(job_, journal_, end_, folder_);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "gone");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(RunMetricsTest, ReportsAMissingFolder) {
  const auto written = WriteMetrics(job_, journal_, end_, folder_ / "none");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("metrics.prom"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::coordinator
