#include <gtest/gtest.h>

#include "kubernetes/leader_election.h"

namespace evenkeel::kube {
namespace {

using std::chrono::seconds;
using Kind = ElectionAnswer::Kind;

LeaseRecord HeldBy(const std::string& holder, const std::string& renewed) {
  return {holder, 35, "long ago", renewed, 4};
}

class ElectionMachineTest : public ::testing::Test {
 protected:
  /// The next request, carried out as early as it may be.
  ElectionRequest Ask() {
    ElectionRequest request = machine_.Next("now");
    now_ = std::max(now_, request.not_before);
    machine_.Started(now_);
    return request;
  }
  void Answer(const ElectionRequest& request, Kind kind, const LeaseRecord& record = {}) {
    machine_.Answered(request, {kind, record}, now_);
  }
  /// The server takes what was written.
  void Accept(const ElectionRequest& request) { Answer(request, Kind::kRecord, request.record); }

  void Lead() {
    Answer(Ask(), Kind::kNotFound);
    Accept(Ask());
    ASSERT_TRUE(machine_.Leads());
  }

  Instant now_{std::chrono::hours(3)};
  ElectionMachine machine_{ElectionOptions{.identity = "me"}, 1};
};

TEST_F(ElectionMachineTest, CreatesTheLeaseWhenThereIsNone) {
  EXPECT_EQ(machine_.Next("now").kind, ElectionRequestKind::kRead);
  Answer(Ask(), Kind::kNotFound);
  const ElectionRequest create = Ask();
  EXPECT_EQ(create.kind, ElectionRequestKind::kCreate);
  EXPECT_EQ(create.record, (LeaseRecord{"me", 35, "now", "now", 0}));
  Accept(create);
  EXPECT_TRUE(machine_.Leads());
  EXPECT_EQ(machine_.Next("now").not_before, now_ + seconds(5));
}

TEST_F(ElectionMachineTest, RenewsWithoutReadingAndKeepsTheTimeOfAcquiring) {
  Lead();
  for (int i = 0; i < 3; ++i) {
    ElectionRequest renew = machine_.Next("later");
    EXPECT_EQ(renew.kind, ElectionRequestKind::kUpdate);
    EXPECT_EQ(renew.record, (LeaseRecord{"me", 35, "now", "later", 0}));
    now_ = renew.not_before;
    machine_.Started(now_);
    Accept(renew);
  }
}

TEST_F(ElectionMachineTest, TakesAFreeLeaseAtOnceAndCountsTheTransition) {
  Answer(Ask(), Kind::kRecord, HeldBy("", "t"));
  const ElectionRequest take = Ask();
  EXPECT_EQ(take.kind, ElectionRequestKind::kUpdate);
  EXPECT_EQ(take.record, (LeaseRecord{"me", 35, "now", "now", 5}));
}

TEST_F(ElectionMachineTest, WaitsUntilALeaseHasNotChangedForItsDuration) {
  const Instant first_seen = now_;
  for (;;) {
    const ElectionRequest request = Ask();
    if (request.kind != ElectionRequestKind::kRead) break;
    ASSERT_LT(now_ - first_seen, seconds(60));
    Answer(request, Kind::kRecord, HeldBy("other", "1999"));
  }
  EXPECT_GE(now_ - first_seen, seconds(35)) << "whatever the times in the lease are";
}

TEST_F(ElectionMachineTest, AChangingLeaseIsAliveWhateverItsTimes) {
  for (int i = 0; i < 100; ++i) {
    const ElectionRequest request = Ask();
    ASSERT_EQ(request.kind, ElectionRequestKind::kRead);
    Answer(request, Kind::kRecord, HeldBy("other", i % 2 == 0 ? "1970" : "2106"));
  }
}

TEST_F(ElectionMachineTest, ALongerLeaseOfTheHolderIsRespectedUpToAnHour) {
  LeaseRecord long_lease = HeldBy("other", "t");
  for (const auto& [said, waited] : {std::pair{100, 100}, {1000000000, 3600}}) {
    machine_ = ElectionMachine(ElectionOptions{.identity = "me"}, 1);
    long_lease.duration_seconds = said;
    const Instant first_seen = now_;
    ElectionRequest request = Ask();
    while (request.kind == ElectionRequestKind::kRead) {
      Answer(request, Kind::kRecord, long_lease);
      request = Ask();
    }
    EXPECT_GE(now_ - first_seen, seconds(waited));
    EXPECT_LE(now_ - first_seen, seconds(waited + 12));
  }
}

TEST_F(ElectionMachineTest, AConflictWhileTakingMeansAnotherWasFaster) {
  Answer(Ask(), Kind::kRecord, HeldBy("", "t"));
  Answer(Ask(), Kind::kConflict);
  EXPECT_FALSE(machine_.Leads());
  const ElectionRequest look = machine_.Next("now");
  EXPECT_EQ(look.kind, ElectionRequestKind::kRead);
  EXPECT_GE(look.not_before, now_ + seconds(5));
}

TEST_F(ElectionMachineTest, AConflictWhileRenewingIsCheckedOnce) {
  Lead();
  Answer(Ask(), Kind::kConflict);
  ElectionRequest look = machine_.Next("now");
  EXPECT_EQ(look.kind, ElectionRequestKind::kRead);
  EXPECT_LE(look.not_before, now_);
  Answer(Ask(), Kind::kRecord, HeldBy("me", "annotated by somebody"));
  Answer(Ask(), Kind::kConflict);
  EXPECT_GE(machine_.Next("now").not_before, now_ + seconds(5));
  Answer(Ask(), Kind::kRecord, HeldBy("me", "annotated by somebody"));
  Accept(Ask());
  EXPECT_TRUE(machine_.Leads());
  EXPECT_FALSE(machine_.HasLost(now_));
}

TEST_F(ElectionMachineTest, FindingAnotherHolderIsALoss) {
  Lead();
  Answer(Ask(), Kind::kConflict);
  Answer(Ask(), Kind::kRecord, HeldBy("other", "t"));
  EXPECT_TRUE(machine_.HasLost(now_));
  EXPECT_EQ(machine_.Holder(), "other");
}

TEST_F(ElectionMachineTest, ADeletedLeaseIsMadeAnew) {
  Lead();
  Answer(Ask(), Kind::kNotFound);
  Answer(Ask(), Kind::kNotFound);
  EXPECT_EQ(machine_.Next("now").kind, ElectionRequestKind::kCreate);
  Accept(Ask());
  EXPECT_FALSE(machine_.HasLost(now_));
}

TEST_F(ElectionMachineTest, OneSlowRenewalIsNoLossAndASilentHalfMinuteIs) {
  Lead();
  const ElectionRequest slow = Ask();
  const Instant renewed = now_;
  now_ += seconds(12);
  Accept(slow);
  EXPECT_EQ(machine_.LeadsUntil(), renewed + seconds(30)) << "counted from when it was sent";
  int attempts = 0;
  while (!machine_.HasLost(machine_.Next("now").not_before)) {
    const ElectionRequest request = Ask();
    EXPECT_LE(request.timeout, machine_.LeadsUntil() - now_ + seconds(1));
    Answer(request, Kind::kFailed);
    ++attempts;
  }
  EXPECT_GE(attempts, 2);
  EXPECT_FALSE(machine_.HasLost(renewed + seconds(29)));
  EXPECT_TRUE(machine_.HasLost(renewed + seconds(30)));
}

TEST_F(ElectionMachineTest, ReleaseFreesTheLease) {
  Lead();
  EXPECT_EQ(machine_.Farewell("end"), (LeaseRecord{"", 1, "end", "end", 0}));
}

TEST(ElectionOptionsTest, TimesThatCannotWorkAreRefused) {
  const auto check = [](int lease, int renew, int retry, const std::string& identity = "me") {
    return CheckElectionOptions({identity, seconds(lease), seconds(renew), seconds(retry)});
  };
  EXPECT_TRUE(check(35, 30, 5));
  EXPECT_TRUE(check(15, 10, 2));
  EXPECT_FALSE(check(30, 30, 5));
  EXPECT_FALSE(check(35, 6, 5));
  EXPECT_FALSE(check(35, 30, 0));
  EXPECT_FALSE(check(4000, 30, 5));
  EXPECT_FALSE(check(35, 30, 5, ""));
}

}  // namespace
}  // namespace evenkeel::kube
