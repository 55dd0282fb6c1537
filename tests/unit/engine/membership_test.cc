#include "core/engine/membership.h"

#include <gtest/gtest.h>

#include <limits>

namespace evenkeel::engine {
namespace {

using scheduling::WorkerId;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Workers = std::vector<WorkerId>;

constexpr Duration kLease = seconds(10);
constexpr Duration kReconnect = milliseconds(1500);

class MembersTest : public testing::Test {
 protected:
  Membership::Rules rules{"", "w", 1, true, 2, kLease, true};
  Instant now{seconds(100)};

  [[nodiscard]] Membership WithNodes(std::uint32_t nodes) {
    Membership membership(rules);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      EXPECT_EQ(membership.Add(std::string(1, static_cast<char>('a' + i)), 1 + i, now),
                WorkerId{i});
    }
    return membership;
  }
  [[nodiscard]] static Hello HelloOf(const std::string& node) {
    Hello hello;
    hello.node = node;
    hello.workload = "w";
    return hello;
  }
};

TEST_F(MembersTest, ALeaseRunsFromTheLastMessage) {
  Membership membership = WithNodes(2);
  EXPECT_EQ(membership.NextExpiry(), now + kLease);
  membership.RenewLease({0}, now + seconds(4));
  EXPECT_TRUE(membership.TakeExpired(now + kLease - Duration(1)).empty());
  EXPECT_EQ(membership.TakeExpired(now + kLease), Workers{{1}});
  EXPECT_TRUE(membership.TakeExpired(now + kLease).empty()) << "taken already";
  EXPECT_EQ(membership.NextExpiry(), now + seconds(4) + kLease);
}

TEST_F(MembersTest, NoLeaseEndsWhileExpiryIsHeld) {
  Membership membership = WithNodes(2);
  membership.HoldExpiry(now + kLease + seconds(1));
  EXPECT_EQ(membership.NextExpiry(), now + kLease + seconds(1));
  EXPECT_TRUE(membership.TakeExpired(now + kLease).empty());
  membership.RenewLease({0}, now + kLease);
  EXPECT_EQ(membership.TakeExpired(now + kLease + seconds(1)), Workers{{1}});
  EXPECT_EQ(membership.NextExpiry(), now + 2 * kLease) << "others are not put off";
}

TEST_F(MembersTest, ALeaseDoesNotRunWhileTheCoordinatorStandsStill) {
  Membership membership = WithNodes(1);
  membership.ExtendLeases(seconds(30), now + seconds(31));
  EXPECT_EQ(membership.NextExpiry(), now + seconds(30) + kLease);
  membership.ExtendLeases(seconds(30), now + seconds(32));
  EXPECT_EQ(membership.NextExpiry(), now + seconds(32) + kLease) << "no later than a message now";
}

TEST_F(MembersTest, AClosedStreamIsWaitedForUntilTheReconnectTimeout) {
  Membership membership = WithNodes(1);
  (void)membership.Connect({0}, StreamId{1}, now);
  EXPECT_EQ(membership.Disconnect(StreamId{1}, now), WorkerId{0});
  EXPECT_FALSE(membership.Disconnect(StreamId{1}, now)) << "closed already";
  EXPECT_EQ(membership.NextExpiry(), now + kReconnect);
  EXPECT_TRUE(membership.OverdueToReconnect(now + kReconnect - Duration(1)).empty());
  EXPECT_EQ(membership.OverdueToReconnect(now + kReconnect), Workers{{0}});
  membership.MarkAbsent({0});
  EXPECT_TRUE(membership.OverdueToReconnect(now + kReconnect).empty());
  EXPECT_EQ(membership.NextExpiry(), now + kLease) << "the lease goes on";
}

TEST_F(MembersTest, AWorkerThatIsBackIsNotOverdue) {
  Membership membership = WithNodes(1);
  (void)membership.Connect({0}, StreamId{1}, now);
  (void)membership.Disconnect(StreamId{1}, now);
  (void)membership.Connect({0}, StreamId{2}, now + seconds(1));
  EXPECT_TRUE(membership.OverdueToReconnect(now + seconds(9)).empty());
}

TEST_F(MembersTest, TheReconnectTimeoutIsNoLongerThanALease) {
  rules.lease = seconds(1);
  Membership membership = WithNodes(1);
  (void)membership.Connect({0}, StreamId{1}, now);
  (void)membership.Disconnect(StreamId{1}, now);
  EXPECT_EQ(membership.OverdueToReconnect(now + seconds(1)), Workers{{0}});
}

TEST_F(MembersTest, TasksThatMustNotRunTwiceWaitForTheLease) {
  rules.idempotent = false;
  Membership membership = WithNodes(1);
  (void)membership.Connect({0}, StreamId{1}, now);
  (void)membership.Disconnect(StreamId{1}, now);
  EXPECT_TRUE(membership.OverdueToReconnect(now + seconds(9)).empty());
  EXPECT_EQ(membership.NextExpiry(), now + kLease);
}

TEST_F(MembersTest, ANewStreamReplacesTheOneBefore) {
  Membership membership = WithNodes(1);
  EXPECT_FALSE(membership.Connect({0}, StreamId{1}, now));
  membership.At({0}).reports_received = 5;
  EXPECT_EQ(membership.Connect({0}, StreamId{2}, now), StreamId{1});
  EXPECT_EQ(membership.FindStream(StreamId{1}), nullptr);
  ASSERT_NE(membership.FindStream(StreamId{2}), nullptr);
  EXPECT_EQ(membership.At({0}).reports_received, 0U) << "reports are counted by stream";
  EXPECT_FALSE(membership.Disconnect(StreamId{1}, now)) << "the news of its end comes late";
  EXPECT_TRUE(membership.At({0}).stream);
}

TEST_F(MembersTest, AReplacedProcessIsKnownWhileItsSuccessorIsConnected) {
  Membership membership = WithNodes(1);
  membership.SetProcess({0}, "one", "boot");
  (void)membership.Connect({0}, StreamId{1}, now);
  EXPECT_FALSE(membership.WasReplaced({0}, "one"));
  membership.At({0}).draining = true;
  membership.SetProcess({0}, "two", "boot");
  EXPECT_FALSE(membership.At({0}).draining) << "the process before drained";
  EXPECT_TRUE(membership.WasReplaced({0}, "one"));
  EXPECT_FALSE(membership.WasReplaced({0}, "two"));
  (void)membership.Disconnect(StreamId{1}, now);
  EXPECT_FALSE(membership.WasReplaced({0}, "one")) << "it may be the newer one after all";
  membership.SetProcess({0}, "one", "boot");
  (void)membership.Connect({0}, StreamId{2}, now);
  EXPECT_FALSE(membership.WasReplaced({0}, "one"));
  EXPECT_TRUE(membership.WasReplaced({0}, "two"));
}

TEST_F(MembersTest, OnlyTheLatestReplacedProcessesAreRemembered) {
  Membership membership = WithNodes(1);
  (void)membership.Connect({0}, StreamId{1}, now);
  for (int process = 0; process < 10; ++process) {
    membership.SetProcess({0}, std::to_string(process), "boot");
  }
  EXPECT_FALSE(membership.WasReplaced({0}, "0"));
  EXPECT_TRUE(membership.WasReplaced({0}, "1"));
  EXPECT_EQ(membership.At({0}).replaced.size(), 8U);
}

TEST_F(MembersTest, ALostWorkerLeavesItsPlaceToAnotherNode) {
  Membership membership = WithNodes(2);
  EXPECT_FALSE(membership.RefusalReason(HelloOf("c")).empty()) << "two workers at most";
  EXPECT_TRUE(membership.RefusalReason(HelloOf("a")).empty()) << "it has a place";
  (void)membership.Remove({1});
  (void)membership.Remove({1});
  EXPECT_EQ(membership.Present(), 1U);
  EXPECT_TRUE(membership.RefusalReason(HelloOf("c")).empty());
  membership.Rejoin({1});
  membership.Rejoin({1});
  EXPECT_EQ(membership.Present(), 2U);
  EXPECT_FALSE(membership.RefusalReason(HelloOf("c")).empty());
}

TEST_F(MembersTest, ARemovedWorkerHasNoLease) {
  Membership membership = WithNodes(1);
  (void)membership.Connect({0}, StreamId{1}, now);
  EXPECT_EQ(membership.Remove({0}), StreamId{1});
  EXPECT_EQ(membership.FindStream(StreamId{1}), nullptr);
  EXPECT_EQ(membership.NextExpiry(), kNever);
}

TEST_F(MembersTest, RefusesHellosOutsideOfTheirBounds) {
  const Membership membership = WithNodes(1);
  const auto refused = [&](auto change) {
    Hello hello = HelloOf("b");
    change(hello);
    return !membership.RefusalReason(hello).empty();
  };
  EXPECT_FALSE(refused([](Hello&) {}));
  EXPECT_TRUE(refused([](Hello& hello) { hello.threads = 0; }));
  EXPECT_FALSE(refused([](Hello& hello) { hello.threads = 4096; }));
  EXPECT_TRUE(refused([](Hello& hello) { hello.threads = 4097; }));
  EXPECT_FALSE(refused([](Hello& hello) { hello.ratio = kMaxRatio; }));
  EXPECT_TRUE(refused([](Hello& hello) { hello.ratio = kMaxRatio * 1.01; }));
  EXPECT_TRUE(refused([](Hello& hello) { hello.ratio = -1; }));
  EXPECT_TRUE(
      refused([](Hello& hello) { hello.ratio = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(refused([](Hello& hello) { hello.workload_version = 2; }));
  EXPECT_TRUE(refused([](Hello& hello) { ++hello.protocol_version; }));
  EXPECT_TRUE(refused([](Hello& hello) { hello.node.clear(); }));
}

TEST_F(MembersTest, ANodeOfUnknownWeightIsAverage) {
  EXPECT_EQ(Membership(rules).MeanRatio(), 1);
  EXPECT_EQ(WithNodes(2).MeanRatio(), 1.5);
}

}  // namespace
}  // namespace evenkeel::engine
