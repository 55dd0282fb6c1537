#include "coordinator/service/job_status.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evenkeel::coordinator {
namespace {

using nlohmann::json;

engine::Progress TwoNodes() {
  engine::Progress progress;
  progress.tasks_total = 768;
  progress.tasks_completed = 10;
  progress.tasks_failed = 2;
  progress.failed_indexes = "3,7";
  progress.cost_done_ratio = 0.25;
  progress.elapsed = std::chrono::milliseconds(12300);
  engine::NodeProgress light;
  light.name = "pi3";
  light.ratio = 1;
  light.share = 0.1;
  light.lost = true;
  engine::NodeProgress heavy;
  heavy.name = "pi4a";
  heavy.ratio = 4.2;
  heavy.share = 0.5;
  heavy.connected = true;
  heavy.leased = 3;
  heavy.completed = 4;
  heavy.stolen_in = 1;
  heavy.rate = 1234.5;
  progress.nodes = {light, heavy};
  return progress;
}

TEST(JobStatus, FollowsARun) {
  JobStatus status;
  status.epoch = 3;
  status.resumed_tasks = 7;
  status.workload_digest = "fnv1a:7";
  Apply(TwoNodes(), {}, status);
  EXPECT_EQ(json::parse(StatusJson(status, {false, "fnv1a:8"})), json::parse(R"({
    "epoch": 3, "state": "Running", "desiredState": "Running", "reason": "", "cause": "",
    "workloadDigest": "fnv1a:7", "containerEndsDigest": "fnv1a:8",
    "tasks": {"total": 768, "completed": 10, "failed": 2},
    "progress": 0.25, "etaSeconds": null, "activeSeconds": 12.3, "failedIndexes": "3,7",
    "workers": [
      {"node": "pi4a", "ratio": 4.2, "connected": true, "share": 384, "completed": 4, "stolen": 1,
       "rate": 1234.5, "state": "Running"},
      {"node": "pi3", "ratio": 1.0, "connected": false, "share": 77, "completed": 0, "stolen": 0,
       "state": "Lost"}],
    "workersTotal": 2, "work": [], "resultFiles": [], "resumedTasks": 7})"));
}

TEST(JobStatus, EarlierStartsCount) {
  JobStatus status;
  WorkByNode earlier;
  earlier["pi4a"].completed = 5;
  earlier["gone"].completed = 2;
  Apply(TwoNodes(), earlier, status);
  ASSERT_EQ(status.workers.size(), 3U);
  EXPECT_EQ(status.workers[0].completed, 9);
  EXPECT_EQ(status.workers[2].name, "gone");
  EXPECT_EQ(status.workers[2].state, WorkerState::kLost);
}

TEST(JobStatus, HasTheWorkOfEachNodeInAllStarts) {
  engine::Progress progress = TwoNodes();
  progress.nodes[1].cost = 100;
  progress.nodes[1].busy_seconds = 2.5;
  progress.nodes[1].threads = 4;
  WorkByNode earlier;
  earlier["pi4a"].cost = 50;
  earlier["pi4a"].busy_seconds = 1.5;
  earlier["gone"].cost = 20;
  earlier["gone"].busy_seconds = 1;
  JobStatus status;
  Apply(progress, earlier, status);
  const auto expected = json::parse(R"([
    {"node": "pi4a", "units": 150.0, "busySeconds": 4.0, "threads": 4},
    {"node": "gone", "units": 20.0, "busySeconds": 1.0, "threads": 0}])");
  EXPECT_EQ(json::parse(StatusJson(status, {}))["work"], expected);
  model::RunSummary summary;  // which knows nothing of it
  summary.state = model::JobState::kComplete;
  for (const char* name : {"pi4a", "gone"}) summary.nodes.emplace_back().name = name;
  Apply(summary, status);
  EXPECT_EQ(json::parse(StatusJson(status, {}))["work"], expected);
}

TEST(JobStatus, BusyTimeWithoutCostIsNotReportedAsWork) {
  JobStatus status;
  model::RunSummary summary;  // of a job that an earlier process completed
  summary.state = model::JobState::kComplete;
  summary.nodes.emplace_back().name = "pi4a";
  summary.nodes[0].busy_seconds = 4;
  Apply(summary, status);
  EXPECT_TRUE(json::parse(StatusJson(status, {}))["work"].empty());
}

TEST(JobStatus, EtaComesWithItsUncertainty) {
  JobStatus status;
  engine::Progress progress = TwoNodes();
  progress.eta = std::chrono::milliseconds(42100);
  progress.eta_sigma = std::chrono::milliseconds(1500);
  Apply(progress, {}, status);
  const auto said = json::parse(StatusJson(status, {}));
  EXPECT_EQ(said["etaSeconds"], 42.1);
  EXPECT_EQ(said["etaSigmaSeconds"], 1.5);
}

TEST(JobStatus, TheEndHasTheResult) {
  JobStatus status;
  Apply(TwoNodes(), {}, status);
  model::RunSummary summary;
  summary.state = model::JobState::kComplete;
  summary.tasks_total = summary.tasks_completed = 768;
  summary.result_json = R"({"count": 25997})";
  summary.nodes.resize(1);
  Apply(summary, status);
  status.result_files = {"primes.npy"};
  const auto said = json::parse(StatusJson(status, {}));
  EXPECT_EQ(said["state"], "Complete");
  EXPECT_EQ(said["progress"], 1);
  EXPECT_EQ(said["etaSeconds"], 0);
  EXPECT_EQ(said["result"]["count"], 25997);
  EXPECT_EQ(said["resultFiles"], json::array({"primes.npy"}));
  EXPECT_EQ(said["workers"][0]["state"], "Done");
}

TEST(JobStatus, BlockedIsAStateOfItsOwn) {
  JobStatus status;
  status.blocked = true;
  EXPECT_EQ(StateText(status), "Blocked");
}

TEST(JobStatus, ManyWorkersAreTruncatedWithACount) {
  JobStatus status;
  status.workers.resize(1000);
  const auto said = json::parse(StatusJson(status, {}));
  EXPECT_EQ(said["workers"].size(), 64U);
  EXPECT_EQ(said["workersTotal"], 1000);
  status.workers.resize(2000);
  for (auto& worker : status.workers) worker.busy_seconds = 1;
  EXPECT_EQ(json::parse(StatusJson(status, {}))["work"].size(), 1024U);
}

TEST(JobStatus, TextThatIsNotUtf8IsStillJson) {
  JobStatus status;
  status.reason = "bad \xff byte";
  EXPECT_FALSE(json::parse(StatusJson(status, {}), nullptr, false).is_discarded());
}

}  // namespace
}  // namespace evenkeel::coordinator
