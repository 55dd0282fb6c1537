// Admission and loss of workers, and the handling of their tasks.
#include <cmath>

#include "tests/unit/engine/coordinator_fixture.h"

namespace evenkeel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class MembershipTest : public CoordinatorFixture {
 protected:
  void ExpectRefused(const Hello& hello, const std::string& reason) {
    Deliver(9, hello);
    ASSERT_EQ(Sent<Refusal>(9).size(), 1U);
    EXPECT_EQ(Sent<Refusal>(9)[0].reason, reason);
    EXPECT_EQ(Wanted<CloseStream>().size(), 1U);
  }

  /// The first worker, which knew the coordinator before and is still at task 0, as `grant` has it.
  void ComeBack(std::uint64_t stream, GrantId grant) {
    Hello hello = HelloOf(0);
    hello.epoch = 1;
    hello.held = {{grant, {0, 1}, false}};
    Deliver(stream, hello);
  }

  /// A new process on the first worker's node.
  void ConnectNewProcess(std::uint64_t stream) {
    Hello hello = HelloOf(0);
    hello.incarnation = "a/2";
    Deliver(stream, hello);
  }
};

TEST_F(MembershipTest, RefusesWithTheReason) {
  config.token = "secret";
  config.admit_unexpected = false;
  Start(1, 1);
  Hello hello = HelloOf(0);
  ExpectRefused(hello, "the token is wrong");
  hello.token = "secret";
  hello.protocol_version = 2;
  ExpectRefused(hello, "protocol version 2 is not supported; this coordinator speaks version 1");
  hello.protocol_version = 1;
  hello.workload_version = 7;
  ExpectRefused(hello, "this job runs w version 1, not w version 7");
  hello.workload_version = 1;
  hello.threads = 0;
  ExpectRefused(hello, "a worker needs a node name and 1 to 4096 threads");
  hello.threads = 1;
  hello.node = "stranger";
  ExpectRefused(hello, "node stranger is not part of this job");
  hello.node = "a";
  Deliver(9, hello);
  EXPECT_EQ(Sent<Welcome>(9).size(), 1U);
}

TEST_F(MembershipTest, TakesNoMoreWorkersThanTheJobAllows) {
  config.job.max_workers = 1;
  Start(1, 1);
  ExpectRefused(HelloOf(1), "the job has all of its 1 workers");
}

TEST_F(MembershipTest, AnUnexpectedNodeGetsWorkToo) {
  Start(2, 1);
  Connect(1, 5);
  EXPECT_EQ(Assigned(1), (Ranges{{0, 1}}));
}

TEST_F(MembershipTest, AnUnexpectedNodeSendsItsRatioAndAnExpectedOneIsNotAsked) {
  Start(4, 2);
  Hello hello = HelloOf(2);
  hello.ratio = 4.25;
  Deliver(1, hello);
  hello = HelloOf(0);
  hello.ratio = 9;
  Deliver(2, hello);
  Connect(3, 3);  // sends no ratio: the mean of 1, 1 and 4.25
  const auto nodes = coordinator().CurrentProgress(now).nodes;
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].ratio, 1.0);
  EXPECT_EQ(nodes[2].ratio, 4.25);
  EXPECT_DOUBLE_EQ(nodes[3].ratio, 6.25 / 3);
}

TEST_F(MembershipTest, AnInvalidRatioIsRefused) {
  Start(1, 1);
  for (const double ratio : {-1.0, 1.1e6, std::nan("")}) {
    Hello hello = HelloOf(1);
    hello.ratio = ratio;
    ExpectRefused(hello, "a worker's ratio must be above 0 and at most 1000000");
  }
}

TEST_F(MembershipTest, ANodeThatWasLostLeavesItsPlaceToAnother) {
  config.job.max_workers = 2;
  Start(4, 2);
  Connect(1, 0);
  Connect(2, 1);
  ExpectRefused(HelloOf(2), "the job has all of its 2 workers");
  Deliver(1, Goodbye{});
  Connect(3, 2);
  EXPECT_EQ(Sent<Welcome>(3).size(), 1U);
}

TEST_F(MembershipTest, AProcessWhosePlaceWasTakenWaitsUntilItsSuccessorIsGone) {
  Start(2, 1);
  Connect(1, 0);
  ConnectNewProcess(2);
  EXPECT_EQ(Wanted<CloseStream>().size(), 1U);
  EXPECT_FALSE(Assigned(2).empty());
  Connect(3, 0);
  EXPECT_TRUE(Sent<Welcome>(3).empty());
  ASSERT_EQ(Wanted<CloseStream>().size(), 1U);
  EXPECT_EQ(Wanted<CloseStream>()[0].stream, StreamId{3});
  Done(2, {0, 1});
  AllDurable();
  EXPECT_EQ(coordinator().CurrentProgress(now).tasks_completed, 1);

  Note(coordinator().OnStreamClosed(StreamId{2}, now));
  Connect(4, 0);
  EXPECT_EQ(Sent<Welcome>(4).size(), 1U);
  Connect(5, 0);  // the same process on a new stream, the old one was never seen closed
  EXPECT_EQ(Sent<Welcome>(5).size(), 1U);
}

TEST_F(MembershipTest, AnotherIdentityDoesNotTakeTheStreamOfANode) {
  Start(2, 1);
  Hello hello = HelloOf(0);
  hello.peer = "pod-1";
  Deliver(1, hello);
  EXPECT_EQ(Assigned(1), (Ranges{{0, 1}}));
  Hello other = HelloOf(0);
  other.peer = "pod-2";
  other.incarnation = "a/2";
  other.boot_id = "another boot";
  Deliver(2, other);
  EXPECT_TRUE(Sent<Welcome>(2).empty());
  EXPECT_TRUE(Sent<Refusal>(2).empty()) << "it may be the successor of a pod that was deleted";
  ASSERT_EQ(Wanted<CloseStream>().size(), 1U);
  EXPECT_EQ(Wanted<CloseStream>()[0].stream, StreamId{2});
  Done(1, {0, 1});
  AllDurable();
  EXPECT_EQ(coordinator().CurrentProgress(now).tasks_completed, 1);

  Deliver(3, hello);  // the same identity after a cable was pulled
  EXPECT_EQ(Sent<Welcome>(3).size(), 1U);
  Note(coordinator().OnStreamClosed(StreamId{3}, now));
  Deliver(4, other);
  EXPECT_EQ(Sent<Welcome>(4).size(), 1U) << "the node is free";
}

TEST_F(MembershipTest, ALowerEpochStops) {
  Start(2, 1);
  Hello hello = HelloOf(0);
  hello.epoch = 2;
  Deliver(1, hello);
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
  EXPECT_EQ(Wanted<EndJob>()[0].state, model::JobState::kInterrupted);
  EXPECT_TRUE(Wanted<EndJob>()[0].superseded);
}

/// The tag of epoch N is "N by us".
class FakeEpochs final : public EpochAuthenticator {
 public:
  std::string Tag(std::uint64_t epoch) const override { return std::to_string(epoch) + " by us"; }
  bool IsTagOf(std::uint64_t epoch, const std::string& tag) const override {
    return tag == Tag(epoch);
  }
};

TEST_F(MembershipTest, AHigherEpochWithoutItsTagStopsNobody) {
  const FakeEpochs epochs;
  config.epochs = &epochs;
  Start(2, 2);
  Hello hello = HelloOf(0);
  hello.epoch = 2;
  for (const char* tag : {"", "2 by another", "1 by us"}) {
    hello.epoch_tag = tag;
    Deliver(1, hello);
    EXPECT_TRUE(Wanted<EndJob>().empty()) << tag;
    Note(coordinator().OnStreamClosed(StreamId{1}, now));
  }
  hello.epoch_tag = "2 by us";
  Deliver(2, hello);
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
  EXPECT_TRUE(Wanted<EndJob>()[0].superseded);
}

TEST_F(MembershipTest, AWelcomeBringsTheTagOfTheEpoch) {
  const FakeEpochs epochs;
  config.epochs = &epochs;
  config.epoch = 3;
  Start(2, 1);
  Connect(1, 0);
  ASSERT_EQ(Sent<Welcome>(1).size(), 1U);
  EXPECT_EQ(Sent<Welcome>(1)[0].epoch_tag, "3 by us");
}

TEST_F(MembershipTest, ASilentWorkersTasksGoToOthersWhenItsLeaseIsOver) {
  Start(2, 2);
  Connect(1, 0);
  Connect(2, 1);
  Wait(seconds(9));
  Done(2, {1, 2});
  Wait(milliseconds(999));
  EXPECT_TRUE(Assigned(2).empty());
  Wait(milliseconds(1));
  EXPECT_EQ(Assigned(2), (Ranges{{0, 1}}));
  EXPECT_EQ(Wanted<CloseStream>().size(), 1U);
}

TEST_F(MembershipTest, GoodbyeFreesAtOnce) {
  Start(2, 2);
  Connect(1, 0);
  Connect(2, 1);
  Done(2, {1, 2});
  Deliver(1, Goodbye{});
  EXPECT_EQ(Assigned(2), (Ranges{{0, 1}}));
}

TEST_F(MembershipTest, AReconnectedProcessKeepsWhatItHolds) {
  Start(3, 1);
  Connect(1, 0);
  const GrantId grant = Sent<Assign>(1)[0].grants[0].id;
  Note(coordinator().OnStreamClosed(StreamId{1}, now));
  ComeBack(2, grant);
  EXPECT_TRUE(Assigned(2).empty()) << "it is busy with task 0";
  EXPECT_TRUE(Sent<Cancel>(2).empty());
}

TEST_F(MembershipTest, TheTasksOfAClosedStreamGoToOthersIfItsWorkerStaysAway) {
  Start(2, 2);
  Connect(1, 0);
  Connect(2, 1);
  const GrantId grant = GrantOf(0);
  Done(2, {1, 2});
  Note(coordinator().OnStreamClosed(StreamId{1}, now));
  Wait(milliseconds(1499));
  EXPECT_TRUE(Assigned(2).empty());
  Wait(milliseconds(1));
  EXPECT_EQ(Assigned(2), (Ranges{{0, 1}}));
  // The first one went on meanwhile: what it brings counts, once.
  ComeBack(3, grant);
  Done(3, {0, 1});
  EXPECT_EQ(Sent<Cancel>(2).size(), 1U);
  Done(2, {0, 1});
  EXPECT_TRUE(Wanted<Persist>().empty());
  AllDurable();
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
  EXPECT_EQ(coordinator().CurrentProgress(now).tasks_completed, 2);
}

TEST_F(MembershipTest, AWorkerThatIsBackInTimeLosesNothing) {
  Start(2, 2);
  Connect(1, 0);
  Connect(2, 1);
  const GrantId grant = GrantOf(0);
  Done(2, {1, 2});
  Note(coordinator().OnStreamClosed(StreamId{1}, now));
  Wait(milliseconds(1400));
  ComeBack(3, grant);
  Wait(seconds(5));
  EXPECT_TRUE(Assigned(2).empty());
}

TEST_F(MembershipTest, TasksThatMustNotRunTwiceWaitForTheLeaseOfAClosedStream) {
  config.job.task_policy.idempotent = false;
  Start(2, 2);
  Connect(1, 0);
  Connect(2, 1);
  Note(coordinator().OnStreamClosed(StreamId{1}, now));
  Wait(seconds(9));
  Done(2, {1, 2});
  EXPECT_TRUE(Assigned(2).empty());
  Wait(seconds(1));
  EXPECT_EQ(Assigned(2), (Ranges{{0, 1}}));
}

TEST_F(MembershipTest, WhatAReconnectedProcessDoesNotHoldIsLeasedAgain) {
  Start(1, 1);
  Connect(1, 0);
  Hello hello = HelloOf(0);
  hello.epoch = 1;
  Deliver(2, hello);  // the old stream was never seen closed
  EXPECT_EQ(Wanted<CloseStream>().size(), 1U);
  EXPECT_EQ(Assigned(2), (Ranges{{0, 1}}));
}

TEST_F(MembershipTest, ANewProcessHoldsNothingOfTheOldOne) {
  Start(1, 1);
  Connect(1, 0);
  ConnectNewProcess(2);
  EXPECT_EQ(Assigned(2), (Ranges{{0, 1}}));
}

// The Hello of the older process may be late. Its successor runs the task already.
TEST_F(MembershipTest, ASecondProcessIsNotAdmittedWhileOneMayRunTasksThatMustNotRunTwice) {
  config.job.task_policy.idempotent = false;
  Start(1, 2);
  Connect(1, 0);
  ConnectNewProcess(2);
  EXPECT_EQ(Wanted<CloseStream>().size(), 1U);
  EXPECT_TRUE(Sent<Welcome>(2).empty());
  EXPECT_TRUE(coordinator().CurrentProgress(now).nodes[0].connected);
  Note(coordinator().OnStreamClosed(StreamId{1}, now));
  ConnectNewProcess(3);
  EXPECT_EQ(Assigned(3), (Ranges{{0, 1}}));
}

TEST_F(MembershipTest, AProcessAfterARestartOfTheNodeIsAdmittedAtOnce) {
  config.job.task_policy.idempotent = false;
  Start(1, 1);
  Connect(1, 0);
  Hello hello = HelloOf(0);
  hello.incarnation = "a/2";
  hello.boot_id = "another boot";
  Deliver(2, hello);
  EXPECT_EQ(Assigned(2), (Ranges{{0, 1}}));
}

TEST_F(MembershipTest, AWorkerThatWasLostIsToldWhatOthersHaveTakenOver) {
  config.job.balancing.strategy = model::StrategyName::kDomainDecomposition;
  Start(4, 2);
  Connect(1, 0);
  Connect(2, 1);
  const GrantId grant = GrantId{1};
  Wait(seconds(9));
  Deliver(2, Report{});
  Wait(seconds(1));
  EXPECT_EQ(Assigned(2), (Ranges{{0, 2}}));
  Done(2, {0, 1});
  Hello hello = HelloOf(0);
  hello.epoch = 1;
  hello.held = {{grant, {0, 2}, false}, {{}, {1, 2}, false}};
  Deliver(3, hello);
  ASSERT_EQ(Sent<Cancel>(3).size(), 1U);
  EXPECT_EQ(Sent<Cancel>(3)[0].ranges, (Ranges{{0, 1}, {1, 2}}));
}

TEST_F(MembershipTest, AnswersThatCameTooLateGiveNothingBack) {
  config.job.balancing.strategy = model::StrategyName::kDomainDecomposition;
  Start(2, 2);
  Connect(1, 0);
  const GrantId old = Sent<Assign>(1)[0].grants[0].id;
  ConnectNewProcess(2);
  const Ranges again = Assigned(2);
  EXPECT_TRUE(again.empty()) << "task 0 is the next worker's now, who is not there";
  Deliver(2, GiveBack{{}, {{old, {0, 1}, false}}});
  EXPECT_TRUE(Assigned(2).empty());
}

TEST_F(MembershipTest, ARestartedCoordinatorWaitsForLeasesOfTasksThatMustNotRunTwice) {
  config.job.task_policy.idempotent = false;
  config.epoch = 2;
  Start(2, 1);
  Connect(1, 0);
  EXPECT_TRUE(Assigned(1).empty());
  EXPECT_EQ(coordinator().NextTimer(), now + seconds(10));
  Wait(seconds(5));
  Deliver(1, Report{});
  EXPECT_TRUE(Assigned(1).empty());
  Wait(seconds(5));
  EXPECT_EQ(Assigned(1), (Ranges{{0, 1}}));
}

TEST_F(MembershipTest, AStallOfTheCoordinatorExtendsLeases) {
  Start(2, 2);
  Connect(1, 0);
  now += seconds(9);
  Deliver(1, Report{});
  now += seconds(30);
  coordinator().OnStall(seconds(30), now);
  Wait({});
  EXPECT_TRUE(Wanted<CloseStream>().empty());
  Wait(milliseconds(999));  // node b had a second left when the stall began
  EXPECT_FALSE(coordinator().CurrentProgress(now).nodes[1].lost);
  Wait(milliseconds(1));
  EXPECT_TRUE(coordinator().CurrentProgress(now).nodes[1].lost);
  EXPECT_FALSE(coordinator().CurrentProgress(now).nodes[0].lost);
  Wait(seconds(9));
  EXPECT_TRUE(coordinator().CurrentProgress(now).nodes[0].lost);
}

TEST_F(MembershipTest, AStallExtendsTheTimeInWhichAWorkerMayReconnect) {
  Start(2, 2);
  Connect(1, 0);
  Connect(2, 1);
  Note(coordinator().OnStreamClosed(StreamId{1}, now));
  now += seconds(5);
  coordinator().OnStall(seconds(5), now);
  Wait(milliseconds(1499));
  EXPECT_EQ(coordinator().CurrentProgress(now).nodes[0].leased, 1);
  Wait(milliseconds(1));
  EXPECT_EQ(coordinator().CurrentProgress(now).nodes[0].leased, 0);
}

}  // namespace
}  // namespace evenkeel::engine
