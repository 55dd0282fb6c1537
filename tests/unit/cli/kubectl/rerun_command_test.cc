#include "cli/kubectl/rerun_command.h"

#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

#include "cli/kubectl/cluster.h"
#include "cli/kubectl/job_object.h"
#include "tests/unit/cli/kubectl/memory_cluster.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

/// A job that has failed: 3 of its 12 tasks have.
json FailedJob(const std::string& name = "thumbnails") {
  json job = json::parse(R"({
    "apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightedJob",
    "metadata": {"namespace": "lab", "uid": "u-1", "resourceVersion": "7",
                 "labels": {"team": "photos"}, "annotations": {"note": "first"}},
    "spec": {"workload": {"command": {"image": "tool:2", "command": ["tool"], "tasks": 12}},
             "after": ["extract"], "suspend": false, "ttlSecondsAfterFinished": 60,
             "resultStorage": {"persistentVolumeClaim": "results"}},
    "status": {"tasks": {"total": 12, "completed": 9, "failed": 3}, "failedIndexes": "3,7-8",
               "conditions": [{"type": "Failed", "status": "True", "reason": "TasksFailed"}]}})");
  job["metadata"]["name"] = name;
  return job;
}

class RerunCommandTest : public testing::Test {
 protected:
  RerunCommandTest() { Put(FailedJob()); }

  void Put(const json& job) {
    cluster_.objects[kJobs + " " + job["metadata"]["name"].get<std::string>()] = job;
  }
  json MustMake(const RerunOptions& options) {
    const auto made = MakeRerun(options, cluster_);
    EXPECT_TRUE(made) << made.error().message;
    return made && *made ? **made : json();
  }
  void ExpectRefused(const RerunOptions& options, ErrorCode code, const std::string& message) {
    const auto made = MakeRerun(options, cluster_);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, code);
    EXPECT_EQ(made.error().message, message);
  }
  int Run(const RerunOptions& options) {
    const platform::BlockedSignals stop({SIGINT, SIGTERM});
    return RunRerunCommand(options, cluster_, stop, out_, err_);
  }

  MemoryCluster cluster_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(RerunCommandTest, TheNewJobHasTheSpecOfTheEarlierOne) {
  EXPECT_EQ(MustMake({.job = "thumbnails"}), json::parse(R"({
    "apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightedJob",
    "metadata": {"name": "thumbnails-rerun-1", "namespace": "lab", "labels": {"team": "photos"}},
    "spec": {"workload": {"command": {"image": "tool:2", "command": ["tool"], "tasks": 12}},
             "ttlSecondsAfterFinished": 60, "resultStorage": {"persistentVolumeClaim": "results"},
             "rerun": {"job": "thumbnails", "failed": true}}})"));
}

TEST_F(RerunCommandTest, IndexesAreWrittenInOrder) {
  const json made = MustMake({.job = "thumbnails", .indexes = "9,7-8,3", .name = "repaired"});
  EXPECT_EQ(made["spec"]["rerun"], json::parse(R"({"job": "thumbnails", "indexes": "3,7-9"})"));
  EXPECT_EQ(made["metadata"]["name"], "repaired");
}

TEST_F(RerunCommandTest, ARerunOfARerunTakesTheNextFreeName) {
  Put(FailedJob("thumbnails-rerun-1"));
  Put(FailedJob("thumbnails-rerun-2"));
  const json made = MustMake({.job = "thumbnails-rerun-1"});
  EXPECT_EQ(made["metadata"]["name"], "thumbnails-rerun-3");
  EXPECT_EQ(made["spec"]["rerun"]["job"], "thumbnails-rerun-1");
}

TEST_F(RerunCommandTest, BadIndexesAndNamesAreRefused) {
  const auto refused = [this](const std::string& indexes, const std::string& message) {
    ExpectRefused({.job = "thumbnails", .indexes = indexes}, ErrorCode::kInvalidInput,
                  "--indexes: " + message);
  };
  refused("7-9,8", "must name each task once, names 8 twice");
  refused("9-7", "must be indexes and ranges of them such as 3,7-9, is \"9-7\"");
  refused("3,12", "must be below 12, is 12 (the job has 12 tasks)");
  const auto bad_name = MakeRerun({.job = "thumbnails", .name = "Repaired"}, cluster_);
  ASSERT_FALSE(bad_name);
  EXPECT_TRUE(bad_name.error().message.starts_with("--name: must be 1 to 50 lower-case letters"));
  const std::string long_name(45, 'a');
  Put(FailedJob(long_name));
  const auto too_long = MakeRerun({.job = long_name}, cluster_);
  ASSERT_FALSE(too_long);
  EXPECT_TRUE(too_long.error().message.starts_with("--name: is needed, because " + long_name +
                                                   "-rerun-1 is not"));
}

TEST_F(RerunCommandTest, JobsThatCannotBeRerunAreRefused) {
  ExpectRefused({.job = "absent"}, ErrorCode::kInvalidInput,
                "(NotFound): " + kJobs + " absent not found");
  json job = FailedJob();
  job["spec"].erase("resultStorage");
  Put(job);
  ExpectRefused({.job = "thumbnails"}, ErrorCode::kInvalidInput,
                "thumbnails has no spec.resultStorage.persistentVolumeClaim: a rerun needs its "
                "results on a claim");
  job = FailedJob();
  job["spec"]["taskPolicy"]["successPolicy"]["succeededCount"] = 3;
  Put(job);
  ExpectRefused({.job = "thumbnails"}, ErrorCode::kInvalidInput,
                "thumbnails has spec.taskPolicy.successPolicy: such a job is complete without the "
                "tasks that run again");
  job = FailedJob();
  job["status"].erase("tasks");
  Put(job);
  ExpectRefused({.job = "thumbnails"}, ErrorCode::kInvalidInput,
                "thumbnails has failed before any task ran");
  job = FailedJob();
  job["status"]["conditions"][0]["type"] = "Progressing";
  Put(job);
  const auto running = MakeRerun({.job = "thumbnails"}, cluster_);
  ASSERT_FALSE(running);
  EXPECT_EQ(running.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(running.error().message.starts_with("thumbnails has not ended: "));
}

TEST_F(RerunCommandTest, WithoutFailedTasksNothingIsCreated) {
  json job = FailedJob();
  job["status"]["tasks"] = {{"total", 12}, {"completed", 12}, {"failed", 0}};
  Put(job);
  EXPECT_EQ(Run({.job = "thumbnails"}), 0);
  EXPECT_EQ(err_.str(), "kubectl-evenkeel: thumbnails: no task has failed, nothing runs again\n");
  EXPECT_TRUE(cluster_.created.empty());
  EXPECT_EQ(Run({.job = "thumbnails", .indexes = "3"}), 0) << "tasks that succeeded can run again";
  EXPECT_EQ(cluster_.created.size(), 1U);
  job["status"]["tasks"]["completed"] = 11;
  Put(job);
  EXPECT_EQ(Run({.job = "thumbnails"}), 0) << "a task has not run";
  EXPECT_EQ(cluster_.created.size(), 2U);
}

TEST_F(RerunCommandTest, TheJobIsCreatedOrPrinted) {
  EXPECT_EQ(Run({.job = "thumbnails"}), 0);
  EXPECT_EQ(out_.str(), kJobs + "/thumbnails-rerun-1 created\n");
  ASSERT_EQ(cluster_.created.size(), 1U);
  EXPECT_EQ(cluster_.created[0]["metadata"]["name"], "thumbnails-rerun-1");
  out_.str("");
  EXPECT_EQ(Run({.job = "thumbnails", .indexes = "3", .print = true}), 0);
  EXPECT_EQ(cluster_.created.size(), 1U);
  EXPECT_EQ(out_.str(),
            "apiVersion: batch.evenkeel.dev/v1alpha1\n"
            "kind: WeightedJob\n"
            "metadata:\n"
            "  labels:\n"
            "    team: photos\n"
            "  name: thumbnails-rerun-1\n"
            "  namespace: lab\n"
            "spec:\n"
            "  rerun:\n"
            "    indexes: \"3\"\n"
            "    job: thumbnails\n"
            "  resultStorage:\n"
            "    persistentVolumeClaim: results\n"
            "  ttlSecondsAfterFinished: 60\n"
            "  workload:\n"
            "    command:\n"
            "      command: [tool]\n"
            "      image: tool:2\n"
            "      tasks: 12\n");
}

}  // namespace
}  // namespace evenkeel::cli
