#include <gtest/gtest.h>

#include "operator/cluster_cache.h"
#include "tests/unit/operator/operator_fixture.h"

namespace evenkeel::controller {
namespace {

using kube::Json;

TEST(NodeRoomTest, FollowsAddedAndRemovedPods) {
  NodeRoom room;
  const PodRoom small{"pi3", {100, 1024, 1}};
  const PodRoom large{"pi3", {500, 4096, 1}};
  room.Add(small);
  room.Add(large);
  room.Add({"", {100, 100, 1}});  // nowhere yet
  EXPECT_EQ(*room.Requested(), (plan::Requests{{"pi3", {600, 5120, 2}}}));
  room.Remove(large);
  EXPECT_EQ(room.Requested()->at("pi3"), (cluster::Resources{100, 1024, 1}));
  room.Remove(small);
  EXPECT_TRUE(room.Requested()->empty());
}

TEST(RoomWaitersTest, NameTheJobsThatFit) {
  RoomWaiters waiters;
  waiters.Add({"lab", "small"}, {250, 64, 1});
  waiters.Add({"lab", "large"}, {1000, 64, 1});
  EXPECT_EQ(waiters.ThatFit({500, 1024, 1}), (std::vector<kube::ObjectKey>{{"lab", "small"}}));
  EXPECT_EQ(waiters.ThatFit({1000, 1024, 1}),
            (std::vector<kube::ObjectKey>{{"lab", "large"}, {"lab", "small"}}));
  waiters.Add({"lab", "large"}, {200, 64, 1});
  waiters.Remove({"lab", "small"});
  EXPECT_EQ(waiters.ThatFit({500, 1024, 1}), (std::vector<kube::ObjectKey>{{"lab", "large"}}));
}

/// Two jobs whose workers do not fit on one node together.
class JobsWithoutRoomTest : public OperatorFixture {
 protected:
  void SetUp() override {
    OperatorFixture::SetUp();
    PutNode("pi4-a", 1500);
  }
  void PutLargeJob(const std::string& name) {
    PutJob(name, {{"workload", {{"primes", {{"end", 300000}}}}},
                  {"worker", {{"resources", {{"requests", {{"cpu", "3"}}}}}}}});
  }
  [[nodiscard]] std::string Message(const std::string& job) const {
    const Json status = Status(job);
    for (const Json& one : kube::MemberOf(status, "conditions")) {
      if (one["type"] == "Progressing") return one["message"];
    }
    return {};
  }
};

TEST_F(JobsWithoutRoomTest, ALaterJobNamesTheOneThatHoldsTheNodeAndComesBackWhenThatEnds) {
  PutLargeJob("first");
  Settle("first");
  RunPods();
  AwaitCache();
  ASSERT_TRUE(kube::Eventually([this] {
    const auto view = cache_->Look(cache_->Job({"lab", "first"}));
    const auto used = view.requests->find("pi4-a");
    return used != view.requests->end() && used->second.cpu_millicores >= 3000;
  }));
  PutLargeJob("second");
  Settle("second");
  EXPECT_EQ(Condition("second", "Progressing"), "False WaitingForRoom");
  EXPECT_NE(Message("second").find("pi4-a lacks cpu: requested 3000m, free 950m, held by job first "
                                   "(3050m)"),
            std::string::npos)
      << Message("second");
  static_cast<void>(TakeNotifiedJobs());
  for (const Json& pod : PodsOf(*server_.Find(kJobsPath, "lab", "first"))) {
    server_.Erase(kPodsPath, "lab", pod["metadata"]["name"]);
  }
  std::set<kube::ObjectKey> notified;
  EXPECT_TRUE(kube::Eventually([&] {
    notified.merge(TakeNotifiedJobs());
    return notified.contains({"lab", "second"});
  }));
  server_.Erase(kJobsPath, "lab", "first");
  Settle("second");
  EXPECT_EQ(Condition("second", "Progressing"), "True Starting");
}

TEST_F(JobsWithoutRoomTest, RoomThatCameBeforeTheJobWaitedForItIsAnnouncedToo) {
  PutLargeJob("first");
  AwaitCache();
  const auto job = cache_->Job({"lab", "first"});
  static_cast<void>(TakeNotifiedJobs());
  cache_->AwaitRoom(*job, {"pi4-a"});  // which is empty
  EXPECT_EQ(TakeNotifiedJobs(), (std::set<kube::ObjectKey>{{"lab", "first"}}));
  cache_->AwaitRoom(*job, {"no-such-node"});
  cache_->AwaitRoom(*job, {});
  EXPECT_EQ(TakeNotifiedJobs(), (std::set<kube::ObjectKey>{}));
}

}  // namespace
}  // namespace evenkeel::controller
