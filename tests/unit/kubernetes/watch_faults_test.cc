#include <gtest/gtest.h>

#include <array>

#include "tests/unit/kubernetes/informer_fixture.h"

namespace evenkeel::kube {
namespace {

using support::WatchEnd;

/// A watch that is open when things go wrong.
class WatchFaults : public InformerFixture {
 protected:
  void SetUp() override {
    InformerFixture::SetUp();
    PutNode("a", "one");
    PutNode("b", "two");
  }

  /// Nodes change during an outage: b is deleted, c is created.
  void ChangeUnseen() {
    server_.HoldEvents(true);
    server_.Erase(kNodes, "", "b");
    PutNode("c", "three");
  }

  /// The open watch ends before it could tell of that.
  void EndUnseen(WatchEnd end) {
    const std::size_t asked = server_.Requests().size();
    ASSERT_EQ(server_.EndWatches(end), 1u);
    ASSERT_TRUE(server_.WaitForRequests(asked + 1));
    server_.HoldEvents(false);
  }
};

TEST_F(WatchFaults, AfterEveryKindOfEndItGoesOnFromTheLastVersion) {
  FollowUntilSynced(Quick());
  std::map<std::string, std::string> nodes{{"a", "one"}, {"b", "two"}};
  int number = 0;
  for (const WatchEnd end :
       {WatchEnd::kClean, WatchEnd::kEof, WatchEnd::kEofInMidLine, WatchEnd::kCleanMidLine,
        WatchEnd::kReset, WatchEnd::kErrorEvent, WatchEnd::kBadLine}) {
    SCOPED_TRACE(number);
    const std::string name = "n" + std::to_string(number++);
    const std::size_t asked = server_.Requests().size();
    ASSERT_EQ(server_.EndWatches(end), 1u);
    PutNode(name, "new");
    nodes[name] = "new";
    EXPECT_TRUE(Shows(nodes));
    ASSERT_TRUE(server_.WaitForRequests(asked + 1));
    ASSERT_TRUE(server_.WaitForWatches(1));
    EXPECT_EQ(informer_->Stats().lists, 1u) << "no new list";
  }
}

TEST_F(WatchFaults, GoneAsAnEventBringsANewListWithItsDeletions) {
  FollowUntilSynced(Quick());
  ChangeUnseen();
  EndUnseen(WatchEnd::kGone);
  EXPECT_TRUE(Shows({{"a", "one"}, {"c", "three"}}));
  EXPECT_TRUE(Eventually([&] { return informer_->Stats().lists == 2; }));
}

TEST_F(WatchFaults, AForgottenHistoryBringsANewListWithItsDeletions) {
  FollowUntilSynced(Quick());
  ChangeUnseen();
  server_.CompactHistory();
  EndUnseen(WatchEnd::kReset);
  EXPECT_TRUE(Shows({{"a", "one"}, {"c", "three"}}));
  EXPECT_TRUE(Eventually([&] { return informer_->Stats().lists == 2; }));
}

class GoneAsAStatus : public WatchFaults, public ::testing::WithParamInterface<bool> {};

TEST_P(GoneAsAStatus, BringsANewListWithItsDeletions) {
  ReflectorOptions options = Quick();
  options.streaming_lists = GetParam();
  FollowUntilSynced(options);
  support::Fault gone;
  gone.filter = {"GET", "resourceVersion=", true};
  gone.status = 410;
  server_.Inject(gone);
  ChangeUnseen();
  EndUnseen(WatchEnd::kEof);
  EXPECT_TRUE(Shows({{"a", "one"}, {"c", "three"}}));
  EXPECT_TRUE(Eventually([&] { return informer_->Stats().lists == 2; }));
}

INSTANTIATE_TEST_SUITE_P(StreamedAndPaged, GoneAsAStatus, ::testing::Bool());

TEST_F(WatchFaults, LinesSplitAnywhereAreReadWhole) {
  server_.SetChunkBytes(7);
  FollowUntilSynced(Quick());
  PutNode("c", std::string(1000, 'x'));
  EXPECT_TRUE(Shows({{"a", "one"}, {"b", "two"}, {"c", std::string(1000, 'x')}}));
  EXPECT_EQ(informer_->Stats().failures, 0u);
}

TEST_F(WatchFaults, BookmarksMoveTheVersionOn) {
  FollowUntilSynced(Quick());
  server_.Put("/api/v1/pods", {{"metadata", {{"name", "other"}, {"namespace", "x"}}}});
  const std::string newest = server_.ResourceVersion();
  const Instant before = informer_->Stats().last_heard;
  server_.SendBookmarks();
  ASSERT_TRUE(Eventually([&] { return informer_->Stats().last_heard > before; }));
  server_.EndWatches(WatchEnd::kClean);
  EXPECT_TRUE(server_.WaitForRequests(1, {"GET", "resourceVersion=" + newest, true}));
}

TEST_F(WatchFaults, ASilentStreamIsGivenUpAndNothingIsLost) {
  ReflectorOptions options = Quick();
  options.idle_limit = std::chrono::milliseconds(200);
  FollowUntilSynced(options);
  const std::size_t asked = server_.Requests().size();
  server_.HoldEvents(true);
  PutNode("c", "three");
  ASSERT_TRUE(server_.WaitForRequests(asked + 2));
  server_.HoldEvents(false);
  EXPECT_TRUE(Shows({{"a", "one"}, {"b", "two"}, {"c", "three"}}));
}

TEST_F(WatchFaults, AServerThatWasAwayIsFoundAgain) {
  FollowUntilSynced(Quick());
  server_.GoDown();
  PutNode("c", "three");
  server_.Erase(kNodes, "", "a");
  ASSERT_TRUE(Eventually([&] { return informer_->Stats().failures > 2; }));
  server_.ComeUp();
  EXPECT_TRUE(Shows({{"b", "two"}, {"c", "three"}}));
  EXPECT_EQ(informer_->Stats().lists, 1u) << "the version was still good";
}

TEST_F(WatchFaults, NothingIsLostOverManyForcedReconnects) {
  FollowUntilSynced(Quick());
  std::map<std::string, std::string> nodes{{"a", "one"}, {"b", "two"}};
  constexpr std::array kEnds{WatchEnd::kClean, WatchEnd::kEofInMidLine, WatchEnd::kReset,
                             WatchEnd::kGone,  WatchEnd::kBadLine,      WatchEnd::kEof};
  for (int round = 0; round < 120; ++round) {
    const std::string name = "n" + std::to_string(round % 7);
    if (round % 5 == 4) {
      server_.Erase(kNodes, "", name);
      nodes.erase(name);
    } else {
      nodes[name] = std::to_string(round);
      PutNode(name, nodes[name]);
    }
    if (round % 3 == 0)
      server_.EndWatches(kEnds[static_cast<std::size_t>(round / 3) % kEnds.size()]);
    if (round % 40 == 39) server_.CompactHistory();
  }
  EXPECT_TRUE(Shows(nodes));
}

}  // namespace
}  // namespace evenkeel::kube
