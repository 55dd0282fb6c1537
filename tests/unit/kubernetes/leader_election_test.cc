#include "kubernetes/leader_election.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/unit/kubernetes/against_server.h"

namespace evenkeel::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/leases";

/// A candidate and the callbacks it received.
struct Member {
  Member(const ServerAccess& access, const WallClock& wall, const std::string& identity)
      : me(identity),
        election(access, wall, {"evenkeel", "operator"},
                 {identity, seconds(2), milliseconds(1500), milliseconds(50)},
                 {[this] { leading = true; }, [this] { lost = true; },
                  [this](const std::string& holder) { last_holder_is_me = holder == me; }},
                 1) {
    election.Start();
  }

  const std::string me;
  std::atomic<bool> leading{false};
  std::atomic<bool> lost{false};
  std::atomic<bool> last_holder_is_me{false};
  LeaderElection election;
};

class LeaderElectionTest : public AgainstServer {
 protected:
  std::unique_ptr<Member> Join(const std::string& identity) {
    return std::make_unique<Member>(Access(), wall_, identity);
  }

  Json Lease() {
    const auto lease = server_.Find(kLeases, "evenkeel", "operator");
    return lease ? *lease : Json();
  }

  SystemWallClock wall_;
};

TEST_F(LeaderElectionTest, AcquiresRenewsAndGivesBack) {
  auto one = Join("one");
  ASSERT_TRUE(Eventually([&] { return one->leading.load(); }));
  EXPECT_TRUE(one->election.HoldsLease());
  EXPECT_TRUE(one->last_holder_is_me);
  const Json acquired = Lease();
  EXPECT_EQ(acquired["spec"]["holderIdentity"], "one");
  EXPECT_EQ(acquired["spec"]["leaseDurationSeconds"], 2);
  EXPECT_EQ(acquired["spec"]["leaseTransitions"], 0);
  ASSERT_TRUE(
      Eventually([&] { return Lease()["spec"]["renewTime"] != acquired["spec"]["renewTime"]; }));
  EXPECT_EQ(Lease()["spec"]["acquireTime"], acquired["spec"]["acquireTime"]);
  one->election.Stop();
  EXPECT_FALSE(one->election.HoldsLease());
  EXPECT_EQ(Lease()["spec"]["holderIdentity"], "");
  EXPECT_FALSE(one->lost) << "leaving is no loss";
}

TEST_F(LeaderElectionTest, ASecondOneWaitsAndFollowsAtOnce) {
  auto one = Join("one");
  ASSERT_TRUE(Eventually([&] { return one->leading.load(); }));
  auto two = Join("two");
  ASSERT_TRUE(server_.WaitForRequests(3, {"GET", "", {}}));
  EXPECT_FALSE(two->leading);
  one->election.Stop();
  ASSERT_TRUE(Eventually([&] { return two->leading.load(); }));
  EXPECT_EQ(Lease()["spec"]["leaseTransitions"], 1);
  EXPECT_TRUE(two->election.HoldsLease());
}

TEST_F(LeaderElectionTest, ALeaderThatCannotRenewLosesInTime) {
  auto one = Join("one");
  ASSERT_TRUE(Eventually([&] { return one->leading.load(); }));
  server_.GoDown();
  ASSERT_TRUE(Eventually([&] { return !one->election.HoldsLease(); }));
  ASSERT_TRUE(Eventually([&] { return one->lost.load(); }));
  server_.ComeUp();
  auto two = Join("two");
  ASSERT_TRUE(Eventually([&] { return two->leading.load(); })) << "the lease has run out";
}

TEST_F(LeaderElectionTest, AShortOutageIsNoLoss) {
  auto one = Join("one");
  ASSERT_TRUE(Eventually([&] { return one->leading.load(); }));
  support::Fault busy;
  busy.filter = {"PUT", "leases", {}};
  busy.status = 429;
  busy.times = 2;
  server_.Inject(busy);
  const std::size_t puts = server_.Requests({"PUT", "", {}}).size();
  ASSERT_TRUE(server_.WaitForRequests(puts + 5, {"PUT", "", {}}));
  EXPECT_FALSE(one->lost);
}

TEST_F(LeaderElectionTest, AConflictWithABystanderIsResolvedAndTheirsIsKept) {
  auto one = Join("one");
  ASSERT_TRUE(Eventually([&] { return one->leading.load(); }));
  Json annotated = Lease();
  annotated["metadata"]["annotations"]["who"] = "somebody";
  annotated["metadata"].erase("resourceVersion");
  server_.Put(kLeases, annotated);
  const Json before = Lease();
  ASSERT_TRUE(
      Eventually([&] { return Lease()["spec"]["renewTime"] != before["spec"]["renewTime"]; }));
  EXPECT_EQ(Lease()["metadata"]["annotations"]["who"], "somebody");
  EXPECT_FALSE(one->lost);
}

TEST_F(LeaderElectionTest, OneWhoIsOustedStops) {
  auto one = Join("one");
  ASSERT_TRUE(Eventually([&] { return one->leading.load(); }));
  Json taken = Lease();
  taken["spec"]["holderIdentity"] = "somebody";
  taken["metadata"].erase("resourceVersion");
  server_.Put(kLeases, taken);
  ASSERT_TRUE(Eventually([&] { return one->lost.load(); }));
  EXPECT_FALSE(one->election.HoldsLease());
  one->election.Stop();
  EXPECT_EQ(Lease()["spec"]["holderIdentity"], "somebody") << "not ours to give back";
}

TEST_F(LeaderElectionTest, OfManyOneLeads) {
  std::vector<std::unique_ptr<Member>> members;
  for (const char* name : {"one", "two", "three", "four"}) members.push_back(Join(name));
  const auto leaders = [&] {
    int count = 0;
    for (const auto& member : members) count += member->election.HoldsLease() ? 1 : 0;
    return count;
  };
  ASSERT_TRUE(Eventually([&] { return leaders() == 1; }));
  ASSERT_TRUE(server_.WaitForRequests(40));
  EXPECT_EQ(leaders(), 1);
}

}  // namespace
}  // namespace evenkeel::kube
