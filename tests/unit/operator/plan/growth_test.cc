// Tasks that are appended to a job of the cluster.
#include <gtest/gtest.h>

#include "core/base/digest.h"
#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

class Growing : public testing::Test {
 protected:
  Growing() {
    for (const char* name : {"a", "b"}) cluster_.AddNode(Pi4(name));
    cluster_.job.workload = "few tasks";
    cluster_.job.spec.workload_parameters = "few";
    cluster_.progress.workload_digest = DigestOf("few");
    EXPECT_TRUE(cluster_.Rest());
  }
  void TearDown() override { EXPECT_EQ(cluster_.violations, std::vector<std::string>{}); }

  void Append() {
    cluster_.ChangeSpec([](auto& job) {
      job.workload = "more tasks";
      job.spec.workload_parameters = "more";
    });
  }
  void End(cluster::CoordinatorState state) {
    cluster_.progress.state = state;
    ASSERT_TRUE(cluster_.Rest());
  }
  std::string Message(const std::string& type) {
    return cluster::Find(cluster_.job.status.conditions, type)->message;
  }
  bool ReportsTasksNotRun(const std::string& type) {
    return Message(type).find("tasks that were appended later are not run") != std::string::npos;
  }
  bool HasEvent(const std::string& reason) {
    return std::any_of(cluster_.events.begin(), cluster_.events.end(),
                       [&](const Event& event) { return event.reason == reason; });
  }

  ModelCluster cluster_;
};

TEST_F(Growing, AppendedTasksReachTheRunningCoordinator) {
  const std::string uid = cluster_.Coordinator()->uid;
  Append();
  cluster_.Step();
  EXPECT_EQ(cluster_.plan->workload, "more tasks");
  EXPECT_EQ(cluster_.refreshes, 0) << "the plan has to be there first";
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.refreshes, 1);
  EXPECT_EQ(cluster_.progress.workload_digest, DigestOf("more"));
  EXPECT_EQ(cluster_.Coordinator()->uid, uid) << "nothing is started again";
  EXPECT_TRUE(HasEvent("TasksAppended"));
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Growing, AKubeletThatSyncedTooEarlyIsTriggeredAgain) {
  cluster_.refresh_works = false;
  Append();
  cluster_.Steps(3);
  EXPECT_EQ(cluster_.refreshes, 1) << "not with every look";
  cluster_.refresh_works = true;
  cluster_.Advance(std::chrono::seconds(11));
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.progress.workload_digest, DigestOf("more"));
}

TEST_F(Growing, ACoordinatorWithoutAReportedWorkloadIsLeftAlone) {
  cluster_.progress.workload_digest.clear();
  Append();
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.refreshes, 0);
}

TEST_F(Growing, AJobThatIsCompleteSaysThatItDoesNotStartAgain) {
  End(cluster::CoordinatorState::kComplete);
  EXPECT_FALSE(ReportsTasksNotRun("Complete"));
  const auto since = cluster::Find(cluster_.job.status.conditions, "Complete")->last_transition;
  cluster_.Advance(std::chrono::minutes(1));
  Append();
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.Condition("Complete"), "True AllTasksDone");
  EXPECT_TRUE(ReportsTasksNotRun("Complete")) << Message("Complete");
  EXPECT_TRUE(ReportsTasksNotRun("Progressing"));
  EXPECT_EQ(cluster::Find(cluster_.job.status.conditions, "Complete")->last_transition, since);
  EXPECT_TRUE(HasEvent("TasksNotRun"));
  EXPECT_EQ(cluster_.plan->workload, "few tasks");
  EXPECT_EQ(cluster_.refreshes, 0);
}

TEST_F(Growing, TasksThatWereAppendedTooLateAreReported) {
  cluster_.refresh_works = false;
  Append();
  cluster_.Steps(2);
  End(cluster::CoordinatorState::kComplete);
  EXPECT_TRUE(ReportsTasksNotRun("Complete")) << Message("Complete");
}

TEST_F(Growing, AFailedJobReportsItAsWell) {
  End(cluster::CoordinatorState::kFailed);
  Append();
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_TRUE(ReportsTasksNotRun("Failed")) << Message("Failed");
}

TEST_F(Growing, WhatIsAppendedWhileTheJobIsSuspendedIsThereWhenItGoesOn) {
  cluster_.ChangeSpec([](auto& job) { job.suspend = true; });
  ASSERT_TRUE(cluster_.Rest());
  Append();
  cluster_.progress.workload_digest = DigestOf("more");
  cluster_.ChangeSpec([](auto& job) { job.suspend = false; });
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.plan->workload, "more tasks");
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
}

TEST_F(Growing, ATooLongListIsRefusedAndTheJobContinues) {
  Append();
  cluster_.ChangeSpec([](auto& job) { job.too_large = "spec: takes too many bytes"; });
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.plan->workload, "few tasks");
  EXPECT_EQ(cluster_.Condition("Progressing"), "True Running");
  EXPECT_NE(Message("Progressing").find("not taken: spec: takes too many bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace evenkeel::plan
