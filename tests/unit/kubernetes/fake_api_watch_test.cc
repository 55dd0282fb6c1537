#include <gtest/gtest.h>

#include <future>

#include "tests/unit/kubernetes/server_fixture.h"

namespace evenkeel::kube {
namespace {

using std::chrono::seconds;
using support::WatchEnd;
using Events = std::vector<std::string>;

class FakeApiWatch : public ServerTest {
 protected:
  std::future<ApiResult<void>> Watch(Lines& lines, const WatchOptions& options = {}) {
    return std::async(std::launch::async, [this, &lines, options] {
      return client_->Watch(kPods, "", options, seconds(20), lines, stop_.get_token());
    });
  }
  static WatchOptions From(const std::string& version) {
    WatchOptions options;
    options.resource_version = version;
    return options;
  }

  std::stop_source stop_;
};

TEST_F(FakeApiWatch, GoesOnFromAVersion) {
  server_.Put(kPodsPath, Pod("a"));
  const std::string version = server_.ResourceVersion();
  server_.Put(kPodsPath, Pod("b"));
  server_.Erase(kPodsPath, "demo", "a");
  Lines lines(2);
  EXPECT_TRUE(Watch(lines, From(version)).get());
  EXPECT_EQ(lines.Events(), (Events{"ADDED b", "DELETED a"}));
}

TEST_F(FakeApiWatch, AForgottenVersionIsGoneByAnEvent) {
  server_.Put(kPodsPath, Pod("a"));
  const std::string version = server_.ResourceVersion();
  server_.Put(kPodsPath, Pod("b"));
  server_.CompactHistory();
  Lines lines;
  EXPECT_TRUE(Watch(lines, From(version)).get());
  ASSERT_EQ(lines.All().size(), 1u);
  const auto event = nlohmann::json::parse(lines.All()[0]);
  EXPECT_EQ(event["type"], "ERROR");
  EXPECT_EQ(ErrorFromStatus(event["object"], "watch").kind, ApiErrorKind::kGone);
}

TEST_F(FakeApiWatch, GoneCanComeInMidStream) {
  Lines lines;
  auto watch = Watch(lines);
  ASSERT_TRUE(server_.WaitForWatches(1));
  server_.Put(kPodsPath, Pod("a"));
  server_.EndWatches(WatchEnd::kGone);
  EXPECT_TRUE(watch.get());
  EXPECT_EQ(lines.Events(), (Events{"ADDED a", "ERROR "}));
}

TEST_F(FakeApiWatch, StreamsListsAndMarksTheirEnd) {
  server_.Put(kPodsPath, Pod("a"));
  server_.Put(kPodsPath, Pod("b"));
  WatchOptions options;
  options.send_initial_events = true;
  Lines lines(4);
  auto watch = Watch(lines, options);
  ASSERT_TRUE(server_.WaitForWatches(1));
  server_.Put(kPodsPath, Pod("c"));
  ASSERT_TRUE(watch.get());
  EXPECT_EQ(lines.Events(), (Events{"ADDED a", "ADDED b", "BOOKMARK ", "ADDED c"}));
  const auto bookmark = nlohmann::json::parse(lines.All()[2])["object"]["metadata"];
  EXPECT_EQ(bookmark["annotations"]["k8s.io/initial-events-end"], "true");
  EXPECT_FALSE(bookmark["resourceVersion"].get<std::string>().empty());
}

TEST_F(FakeApiWatch, CanRefuseStreamingLists) {
  server_.RefuseStreamingLists(422);
  WatchOptions options;
  options.send_initial_events = true;
  Lines lines;
  EXPECT_EQ(Watch(lines, options).get().error().kind, ApiErrorKind::kInvalid);
  Lines others(1);
  server_.Put(kPodsPath, Pod("a"));
  EXPECT_TRUE(Watch(others).get());
}

TEST_F(FakeApiWatch, SendsBookmarksToThoseWhoAskedForThem) {
  const std::string version = server_.ResourceVersion();
  Lines with(1);
  auto watch = Watch(with, From(version));
  WatchOptions plain = From(version);
  plain.bookmarks = false;
  Lines without;
  auto other = Watch(without, plain);
  ASSERT_TRUE(server_.WaitForWatches(2));
  server_.SendBookmarks();
  EXPECT_TRUE(watch.get());
  EXPECT_EQ(with.Events(), (Events{"BOOKMARK "}));
  server_.EndWatches(WatchEnd::kClean);
  EXPECT_TRUE(other.get());
  EXPECT_TRUE(without.All().empty());
}

TEST_F(FakeApiWatch, HoldsEventsBack) {
  server_.HoldEvents(true);
  Lines lines(1);
  auto watch = Watch(lines);
  ASSERT_TRUE(server_.WaitForWatches(1));
  server_.Put(kPodsPath, Pod("a"));
  EXPECT_EQ(watch.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  EXPECT_TRUE(lines.All().empty());
  server_.HoldEvents(false);
  EXPECT_TRUE(watch.get());
  EXPECT_EQ(lines.Events(), (Events{"ADDED a"}));
}

TEST_F(FakeApiWatch, ASelectionIsEnteredAndLeft) {
  WatchOptions options = From(server_.ResourceVersion());
  options.label_selector = "app=x";
  Lines lines(3);
  auto watch = Watch(lines, options);
  ASSERT_TRUE(server_.WaitForWatches(1));
  server_.Put(kPodsPath, Pod("a"));
  server_.Put(kPodsPath, Pod("a", {{"app", "x"}}));
  server_.Put(kPodsPath, Pod("a", {{"app", "x"}, {"more", "y"}}));
  server_.Put(kPodsPath, Pod("a"));
  EXPECT_TRUE(watch.get());
  EXPECT_EQ(lines.Events(), (Events{"ADDED a", "MODIFIED a", "DELETED a"}));
}

TEST_F(FakeApiWatch, EndsWhenItWasAskedTo) {
  WatchOptions options = From(server_.ResourceVersion());
  options.timeout_seconds = 1;
  Lines lines;
  EXPECT_TRUE(Watch(lines, options).get());
  EXPECT_TRUE(lines.All().empty());
}

TEST_F(FakeApiWatch, EndsThoseThatFitOnly) {
  Lines pods;
  auto first = Watch(pods, From(server_.ResourceVersion()));
  Lines jobs;
  auto second = std::async(std::launch::async, [&] {
    return client_->Watch(kJobs, "", {}, seconds(20), jobs, stop_.get_token());
  });
  ASSERT_TRUE(server_.WaitForWatches(2));
  EXPECT_EQ(server_.OpenWatches({"", "weightedjobs", {}}), 1u);
  EXPECT_EQ(server_.EndWatches(WatchEnd::kErrorEvent, {"", "/pods", {}}), 1u);
  EXPECT_TRUE(first.get());
  EXPECT_EQ(pods.Events(), (Events{"ERROR "}));
  EXPECT_EQ(server_.EndWatches(WatchEnd::kBadLine), 1u);
  EXPECT_TRUE(second.get());
  EXPECT_EQ(jobs.Events(), (Events{"no JSON"}));
}

TEST_F(FakeApiWatch, EndWithTheServer) {
  Lines lines;
  auto watch = Watch(lines);
  ASSERT_TRUE(server_.WaitForWatches(1));
  server_.GoDown();
  EXPECT_EQ(watch.get().error().kind, ApiErrorKind::kUnavailable);
  EXPECT_EQ(server_.OpenWatches(), 0u);
}

}  // namespace
}  // namespace evenkeel::kube
