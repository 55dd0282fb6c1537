// Plans of jobs whose pods have an image of the user.
#include <gtest/gtest.h>

#include "tests/unit/operator/plan/model_cluster.h"

namespace evenkeel::plan {
namespace {

class CommandPods : public testing::Test {
 protected:
  CommandPods() {
    cluster_.job.task_image = "example.com/tool:1";
    for (const char* name : {"a", "b"}) cluster_.AddNode(Pi4(name));
    EXPECT_TRUE(cluster_.Rest());
  }
  void TearDown() override { EXPECT_EQ(cluster_.violations, std::vector<std::string>{}); }

  /// No container of the command runs, for this reason.
  void SetAllWaiting(const std::string& reason, const std::string& message = {}) {
    for (const char* node : {"a", "b"}) SetWaiting(node, reason, message);
  }
  void SetWaiting(const std::string& node, const std::string& reason, const std::string& message) {
    cluster::PodView* pod = cluster_.WorkerOn(node);
    pod->ready = false;
    pod->container = "command";
    pod->image = cluster_.job.task_image;
    pod->initialized = cluster_.now - std::chrono::seconds(10);
    pod->waiting_reason = reason;
    pod->waiting_message = message;
  }
  /// The condition in the current plan, as "Status Reason", and whether its event is a warning.
  std::string NextCondition() {
    const Plan plan = MakePlan(cluster_.Take());
    cluster_.Apply(plan);
    return cluster_.Condition("Progressing");
  }
  std::string Message() {
    return cluster::Find(cluster_.job.status.conditions, "Progressing")->message;
  }

  ModelCluster cluster_;
};

TEST_F(CommandPods, AnImageThatIsPulledIsProgress) {
  SetAllWaiting("PodInitializing");
  EXPECT_EQ(NextCondition(), "True PullingImage");
  EXPECT_NE(Message().find("its image example.com/tool:1 is being pulled"), std::string::npos);
  EXPECT_FALSE(cluster_.events.back().warning);
  SetWaiting("b", "ImagePullBackOff", "");  // problems come before delays
  EXPECT_EQ(NextCondition(), "False ImagePullFailed");
  cluster_.Settle();
  EXPECT_EQ(NextCondition(), "True Running");
}

TEST_F(CommandPods, AnImageThatWantsRootIsReportedAndRecovers) {
  SetAllWaiting("CreateContainerConfigError",
                "container has runAsNonRoot and image will run as root (pod: \"x\", container: y)");
  EXPECT_EQ(NextCondition(), "False ImageRunsAsRoot");
  EXPECT_NE(Message().find("example.com/tool:1"), std::string::npos);
  EXPECT_TRUE(cluster_.events.back().warning);
  cluster_.Settle();
  EXPECT_EQ(NextCondition(), "True Running");
}

TEST_F(CommandPods, AnImageThatIsMissingOnOneNodeIsReportedWhileOthersRun) {
  SetWaiting("b", "ImagePullBackOff", "no match for platform in manifest");
  cluster_.Advance(std::chrono::seconds(10));  // words alone are not written at once
  EXPECT_EQ(NextCondition(), "True Running");
  EXPECT_EQ(Message(), "workers run, but not all: pod " + cluster_.WorkerOn("b")->name +
                           ": its image example.com/tool:1 cannot be pulled");
  cluster_.Settle();
  cluster_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(NextCondition(), "True Running");
  EXPECT_EQ(Message(), "workers run");
}

TEST_F(CommandPods, TheCoordinatorIsToKnowHowContainersEnded) {
  EXPECT_TRUE(MakePlan(cluster_.Take()).coordinator->container_ends.empty());
  const auto at = platform::WholeSeconds(cluster_.now);
  cluster_.WorkerOn("b")->command_ends = {{at, false},
                                          {at + std::chrono::milliseconds(1900), true}};
  const std::int64_t seconds =
      std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
  const std::map<std::string, std::vector<ContainerEnd>> ends{
      {"b", {{seconds + 1, true}, {seconds, false}}}};
  EXPECT_EQ(MakePlan(cluster_.Take()).coordinator->container_ends, ends);
  cluster_.WorkerOn("b")->command_ends.clear();
  EXPECT_TRUE(MakePlan(cluster_.Take()).coordinator->container_ends.empty());
}

TEST_F(CommandPods, OfManyEndsTheLatestAreReported) {
  Snapshot snapshot = cluster_.Take();
  const cluster::PodView worker = *cluster_.WorkerOn("b");
  const std::int64_t more = kMaxContainerEnds + 5;
  for (std::int64_t i = 0; i < more; ++i) {
    cluster::PodView pod = worker;
    pod.name += "-" + std::to_string(i);
    pod.node = "n" + std::to_string(i);
    pod.command_ends = {{platform::Timestamp(std::chrono::seconds(1'000 + i)), i % 2 == 0}};
    snapshot.pods.push_back(pod);
  }
  const auto ends = MakePlan(snapshot).coordinator->container_ends;
  EXPECT_EQ(ends.size(), kMaxContainerEnds);
  EXPECT_EQ(ends.at("n" + std::to_string(more - 1)),
            (std::vector<ContainerEnd>{{1'000 + more - 1, (more - 1) % 2 == 0}}));
  EXPECT_FALSE(ends.contains("n4"));
}

TEST_F(CommandPods, AWorkerThatEndedWithTheJobIsNotWaitedFor) {
  cluster_.WorkerOn("a")->lingers = true;
  cluster_.progress.tasks = {100, 100, 0};
  cluster_.progress.state = cluster::CoordinatorState::kComplete;
  const Plan plan = MakePlan(cluster_.Take());
  ASSERT_EQ(plan.actions.size(), 1U);
  const auto* deletion = std::get_if<DeletePod>(plan.actions.data());
  ASSERT_NE(deletion, nullptr);
  EXPECT_EQ(deletion->name, cluster_.WorkerOn("a")->name);
  EXPECT_FALSE(deletion->at_once);
}

TEST_F(CommandPods, AWorkerThatExitedDuringTheRunIsRecreatedAfterABackoff) {
  cluster::PodView* pod = cluster_.WorkerOn("a");
  const std::string uid = pod->uid;
  pod->lingers = true;
  pod->ready = false;
  pod->termination = cluster::Termination{0, "Completed", "", cluster_.now};
  cluster_.Step();
  EXPECT_EQ(cluster_.WorkerOn("a")->uid, uid);
  cluster_.Advance(std::chrono::seconds(10));
  ASSERT_TRUE(cluster_.Rest());
  ASSERT_NE(cluster_.WorkerOn("a"), nullptr);
  EXPECT_NE(cluster_.WorkerOn("a")->uid, uid);
}

TEST_F(CommandPods, RoomIsNeededForBothContainers) {
  cluster::NodeView small = Pi4("small");
  small.allocatable = {260, 4LL << 30U, 110};  // the command alone would fit
  cluster_.AddNode(small);
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_EQ(cluster_.WorkerOn("small"), nullptr);
  cluster_.Node("small").allocatable.cpu_millicores = 270;
  ASSERT_TRUE(cluster_.Rest());
  EXPECT_NE(cluster_.WorkerOn("small"), nullptr);
}

}  // namespace
}  // namespace evenkeel::plan
