#include <gtest/gtest.h>

#include "core/engine/effect_outbox.h"
#include "core/engine/pending_recalls.h"

namespace evenkeel::engine {
namespace {

using scheduling::WorkerId;
using std::chrono::milliseconds;
using std::chrono::seconds;

// ---- EffectOutbox ----

class EffectOutboxTest : public testing::Test {
 protected:
  RunStatistics statistics{Duration::zero()};
  EffectOutbox outbox{statistics, nullptr};
};

const Assign& AssignIn(const Effect& effect) {
  return std::get<Assign>(std::get<SendToWorker>(effect).message);
}

TEST_F(EffectOutboxTest, GrantsLeaveInOneMessagePerStreamInOrderOfTheFirst) {
  EXPECT_EQ(outbox.AddGrant(StreamId{7}, {0, 2}, false, 0), GrantId{1});
  EXPECT_EQ(outbox.AddGrant(StreamId{3}, {2, 3}, true, 0), GrantId{2});
  EXPECT_EQ(outbox.AddGrant(StreamId{7}, {3, 4}, false, 5), GrantId{3});
  outbox.Add(CloseStream{StreamId{1}});
  outbox.SendGrants();
  outbox.SendGrants();  // nothing waits any more
  const Effects effects = outbox.Take(Instant{});
  ASSERT_EQ(effects.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<CloseStream>(effects[0])) << "grants wait for SendGrants";
  EXPECT_EQ(std::get<SendToWorker>(effects[1]).stream, StreamId{7});
  EXPECT_EQ(AssignIn(effects[1]).grants,
            (std::vector<Grant>{{GrantId{1}, {0, 2}}, {GrantId{3}, {3, 4}, false, 5}}));
  EXPECT_EQ(std::get<SendToWorker>(effects[2]).stream, StreamId{3});
  EXPECT_EQ(AssignIn(effects[2]).grants, (std::vector<Grant>{{GrantId{2}, {2, 3}, true}}));
  EXPECT_TRUE(outbox.Take(Instant{}).empty());
}

TEST_F(EffectOutboxTest, CountsMessagesAndNoOtherEffects) {
  outbox.Send(StreamId{1}, Finish{});
  outbox.Add(CloseStream{StreamId{1}});
  outbox.AddGrant(StreamId{1}, {0, 1}, false, 0);
  outbox.AddGrant(StreamId{1}, {1, 2}, false, 0);
  outbox.SendGrants();
  EXPECT_EQ(statistics.Snapshot(Instant{}).messages, 2);
}

TEST_F(EffectOutboxTest, AGrantCarriesTheInputsOfItsTasks) {
  outbox.SetInputs([](model::TaskIndex index) { return "in" + std::to_string(index); });
  outbox.AddGrant(StreamId{1}, {8, 10}, false, 0);
  outbox.SendGrants();
  const Effects effects = outbox.Take(Instant{});
  EXPECT_EQ(AssignIn(effects[0]).grants[0].inputs.Of(9), "in9");
}

TEST_F(EffectOutboxTest, GrantsThatWereNeverSentStopTheProcess) {
  outbox.AddGrant(StreamId{1}, {0, 1}, false, 0);
  EXPECT_DEATH((void)outbox.Take(Instant{}), "never sent");
}

// ---- PendingRecalls ----

constexpr WorkerId kGiver{0};
constexpr WorkerId kTaker{1};
constexpr Instant kRecalledAt{seconds(100)};

TEST(PendingRecalls, OnlyTheLatestRecallOfAWorkerCanBeAnsweredAndOnlyOnce) {
  PendingRecalls recalls;
  const RecallId first = recalls.Add(kGiver, kTaker, kRecalledAt);
  const RecallId second = recalls.Add(kGiver, std::nullopt, kRecalledAt);
  EXPECT_NE(first, second);
  EXPECT_FALSE(recalls.TakeAnswered(kGiver, first));
  EXPECT_FALSE(recalls.TakeAnswered(kTaker, second)) << "another worker's";
  const auto answered = recalls.TakeAnswered(kGiver, second);
  ASSERT_TRUE(answered);
  EXPECT_FALSE(answered->thief);
  EXPECT_FALSE(recalls.TakeAnswered(kGiver, second));
  EXPECT_EQ(recalls.NextExpiry(), kNever);
}

TEST(PendingRecalls, ARecallExpiresAfterItsTimeoutAndNoSooner) {
  PendingRecalls recalls;
  recalls.Add(kTaker, kGiver, kRecalledAt);
  recalls.Add(kGiver, kTaker, kRecalledAt + milliseconds(1));
  EXPECT_EQ(recalls.NextExpiry(), kRecalledAt + PendingRecalls::kTimeout);
  EXPECT_TRUE(recalls.TakeExpired(kRecalledAt + PendingRecalls::kTimeout - Duration(1)).empty());
  EXPECT_EQ(recalls.TakeExpired(kRecalledAt + PendingRecalls::kTimeout),
            std::vector<WorkerId>{kTaker});
  EXPECT_EQ(recalls.NextExpiry(), kRecalledAt + PendingRecalls::kTimeout + milliseconds(1));
  EXPECT_EQ(recalls.TakeExpired(kRecalledAt + seconds(60)), std::vector<WorkerId>{kGiver});
}

TEST(PendingRecalls, NoRecallExpiresWhileTheCoordinatorStandsStill) {
  PendingRecalls recalls;
  recalls.Add(kGiver, kTaker, kRecalledAt);
  recalls.Extend(seconds(30), kRecalledAt + seconds(31));
  EXPECT_EQ(recalls.NextExpiry(), kRecalledAt + seconds(30) + PendingRecalls::kTimeout);
}

TEST(PendingRecalls, ARemovedRecallNeitherExpiresNorIsAnswered) {
  PendingRecalls recalls;
  const RecallId id = recalls.Add(kGiver, kTaker, kRecalledAt);
  recalls.Remove(kGiver);
  EXPECT_EQ(recalls.NextExpiry(), kNever);
  EXPECT_FALSE(recalls.TakeAnswered(kGiver, id));
}

TEST(PendingRecalls, ARecallThatIsNotWaitedForHasANumberOfItsOwn) {
  PendingRecalls recalls;
  const RecallId unawaited = recalls.NextId();
  EXPECT_NE(unawaited, RecallId{}) << "0 means that no recall was answered";
  EXPECT_NE(recalls.Add(kGiver, kTaker, kRecalledAt), unawaited);
}

}  // namespace
}  // namespace evenkeel::engine
