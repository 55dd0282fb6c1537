#include "kubernetes/informer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/kubernetes/informer_fixture.h"

namespace evenkeel::kube {
namespace {

class InformerTest : public InformerFixture {};

TEST_F(InformerTest, AStreamedListAndTheChangesAfterIt) {
  PutNode("a", "one");
  PutNode("b", "two");
  FollowUntilSynced(Quick());
  EXPECT_TRUE(HasNodes({{"a", "one"}, {"b", "two"}}));
  PutNode("a", "more");
  PutNode("c", "three");
  server_.Erase(kNodes, "", "b");
  EXPECT_TRUE(HasNodes({{"a", "more"}, {"c", "three"}}));
  EXPECT_EQ(server_.Requests().size(), 1u) << "list and watch are one request";
  EXPECT_EQ(informer_->Stats().lists, 1u);
}

TEST_F(InformerTest, AnEmptyCollectionIsSyncedToo) {
  FollowUntilSynced(Quick());
  EXPECT_TRUE(informer_->HasSynced());
  EXPECT_TRUE(HasNodes({}));
}

TEST_F(InformerTest, PagesWhereStreamedListsAreRefused) {
  for (const char* name : {"a", "b", "c", "d", "e"}) PutNode(name, name);
  server_.RefuseStreamingLists(422);
  ReflectorOptions options = Quick();
  options.page_size = 2;
  FollowUntilSynced(options);
  EXPECT_TRUE(HasNodes({{"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "d"}, {"e", "e"}}));
  EXPECT_EQ(server_.Requests({"GET", "limit=2", false}).size(), 3u);
  EXPECT_EQ(server_.Requests({"GET", "continue=", false}).size(), 2u);
  PutNode("f", "f");
  EXPECT_TRUE(HasNodes({{"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "d"}, {"e", "e"}, {"f", "f"}}));
}

TEST_F(InformerTest, APageLargerThanTheTransportAllowsIsReadInSmallerOnes) {
  std::map<std::string, std::string> nodes;
  for (int i = 0; i < 100; ++i) nodes["n" + std::to_string(i)] = std::string(1000, 'x');
  for (const auto& [name, text] : nodes) PutNode(name, text);
  CpprestOptions small;
  small.max_body_bytes = 30'000;
  Connect(nullptr, small);
  ReflectorOptions options = Quick();
  options.streaming_lists = false;
  FollowUntilSynced(options);
  EXPECT_TRUE(HasNodes(nodes));
}

TEST_F(InformerTest, AContinueTokenThatRanOutDoesNotKeepItFromSyncing) {
  for (const char* name : {"a", "b", "c"}) PutNode(name, name);
  support::Fault gone;
  gone.filter = {"GET", "continue=", false};
  gone.status = 410;
  server_.Inject(gone);
  ReflectorOptions options = Quick();
  options.streaming_lists = false;
  options.page_size = 2;
  FollowUntilSynced(options);
  EXPECT_TRUE(HasNodes({{"a", "a"}, {"b", "b"}, {"c", "c"}}));
}

TEST_F(InformerTest, AListThatIsCutOrRefusedIsAskedForAgain) {
  PutNode("a", "one");
  support::Fault cut;
  cut.filter = {"GET", "limit=", false};
  cut.cut_body_after = 40;
  server_.Inject(cut);
  support::Fault busy;
  busy.filter = {"GET", "limit=", false};
  busy.status = 429;
  busy.retry_after_seconds = 1;
  server_.Inject(busy);
  ReflectorOptions options = Quick();
  options.streaming_lists = false;
  FollowUntilSynced(options);
  EXPECT_TRUE(HasNodes({{"a", "one"}}));
}

TEST_F(InformerTest, ANewTokenIsReadWhenTheOldOneIsRefused) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "informer-token";
  std::ofstream(file) << "old";
  server_.SetAcceptedTokens({"old"});
  Connect(std::make_shared<TokenSource>(file.string(), clock_));
  PutNode("a", "one");
  FollowUntilSynced(Quick());
  std::ofstream(file) << "new";
  server_.SetAcceptedTokens({"new"});
  server_.EndWatches(support::WatchEnd::kEof);
  PutNode("a", "two");
  EXPECT_TRUE(HasNodes({{"a", "two"}}));
  std::filesystem::remove(file);
}

TEST_F(InformerTest, StoppingEndsAnOpenWatchSoon) {
  FollowUntilSynced(Quick());
  const auto start = std::chrono::steady_clock::now();
  informer_->Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(InformerTest, StoppingEndsAPauseAtOnce) {
  server_.GoDown();
  ReflectorOptions options = Quick();
  options.reconnect.shortest = std::chrono::minutes(5);
  options.reconnect.longest = std::chrono::minutes(5);
  Follow(options);
  ASSERT_TRUE(Eventually([&] { return informer_->Stats().failures > 0; }));
  EXPECT_FALSE(informer_->Stats().last_failure.empty());
  EXPECT_FALSE(informer_->HasSynced());
  informer_->Stop();
}

}  // namespace
}  // namespace evenkeel::kube
