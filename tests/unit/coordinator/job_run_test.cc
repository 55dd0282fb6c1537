#include "coordinator/job_run.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "coordinator/run_outcome.h"
#include "tests/unit/coordinator/job_fakes.h"

namespace evenkeel::coordinator {
namespace {

class JobRunTest : public testing::Test {
 protected:
  JobRunTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "evenkeel-job-run-XXXXXX");
    folder_ = ::mkdtemp(pattern.data());
  }
  ~JobRunTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] JobRunConfig ConfigOf(std::int64_t tasks) const {
    JobRunConfig config;
    config.version =
        std::make_shared<const JobVersion>(FakeSpec(), std::make_shared<FakeWorkload>(tasks));
    config.nodes.push_back({"node", 1.0});
    config.folder = folder_;
    config.started = SteadyClock().Now();
    return config;
  }

  std::filesystem::path folder_;
};

TEST_F(JobRunTest, AJobWithoutTasksCompletesAtOnceWithACorrectSummary) {
  const JobRunConfig config = ConfigOf(0);
  auto run = JobRun::Open(config);
  ASSERT_TRUE(run) << run.error().message;
  const RunEnd end = (*run)->Run(nullptr);
  OutcomeContext context;
  context.version = end.version;
  context.folder = folder_;
  context.nodes.push_back({1, {}});
  context.calibrate = true;
  const auto summary = LeaveResults(context, *(*run)->journal(), end, {});
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->state, model::JobState::kComplete);
  EXPECT_EQ(summary->tasks_total, 0);
  EXPECT_EQ(summary->tasks_completed, 0);
  EXPECT_EQ(summary->makespan_seconds, 0);
  EXPECT_EQ(summary->efficiency, 0);
  EXPECT_EQ(summary->load_imbalance_percent, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "report.html"));
}

TEST_F(JobRunTest, AnInterruptBeforeTheRunEndsIt) {
  auto run = JobRun::Open(ConfigOf(5));
  ASSERT_TRUE(run) << run.error().message;
  (*run)->Interrupt("stop");
  const RunEnd end = (*run)->Run(nullptr);
  EXPECT_EQ(end.state, model::JobState::kInterrupted);
  EXPECT_EQ(end.reason, "stop");
}

}  // namespace
}  // namespace evenkeel::coordinator
