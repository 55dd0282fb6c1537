#include "kubernetes/client.h"

#include <gtest/gtest.h>

#include <fstream>

#include "kubernetes/credentials.h"
#include "tests/unit/kubernetes/scripted_transport.h"
#include "tests/unit/kubernetes/virtual_time.h"
#include "tests/unit/report/temporary_folder.h"

namespace evenkeel::kube {
namespace {

using nlohmann::json;
using std::chrono::seconds;

const Resource kPods{"", "v1", "pods"};

class ClientTest : public ::testing::Test {
 protected:
  [[nodiscard]] Client MakeClient() {
    ClientOptions options;
    options.waiter = &time_;
    return Client(transport_, options);
  }
  [[nodiscard]] const Request& Asked() const { return transport_.requests.back(); }
  [[nodiscard]] json Body() const { return json::parse(Asked().body); }

  ScriptedTransport transport_;
  VirtualTime time_;
};

TEST_F(ClientTest, ListsAPage) {
  transport_.Answer(200, R"({"metadata":{"resourceVersion":"7","continue":"c"},
                            "items":[{"metadata":{"name":"a"}}]})");
  const auto page = MakeClient().List(kPods, "demo");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->resource_version, "7");
  EXPECT_EQ(page->continue_token, "c");
  EXPECT_EQ(Asked().target, "/api/v1/namespaces/demo/pods?limit=500");
  EXPECT_EQ(Asked().timeout, seconds(60));
}

TEST_F(ClientTest, AnEmptyListMayBeNull) {
  transport_.Answer(200, R"({"metadata":{"resourceVersion":"7"},"items":null})");
  EXPECT_TRUE(MakeClient().List(kPods, "")->items.empty());
}

TEST_F(ClientTest, AnswersThatMakeNoSenseAreErrors) {
  for (const char* body : {"", "[1]", "{}", R"({"metadata":7,"items":[]})",
                           R"({"metadata":{},"items":{}})", "<html>"}) {
    transport_.Answer(200, body);
    const auto page = MakeClient().List(kPods, "");
    ASSERT_FALSE(page) << body;
    EXPECT_EQ(page.error().kind, ApiErrorKind::kUnexpected);
  }
}

TEST_F(ClientTest, DeletesWithPreconditions) {
  transport_.Answer(200);
  DeleteOptions options;
  options.uid = "u-1";
  options.propagation = Propagation::kBackground;
  options.grace_period_seconds = 5;
  ASSERT_TRUE(MakeClient().Delete(kPods, "demo", "a", options));
  EXPECT_EQ(Asked().method, "DELETE");
  EXPECT_EQ(Body()["preconditions"], json({{"uid", "u-1"}}));
  EXPECT_EQ(Body()["propagationPolicy"], "Background");
  EXPECT_EQ(Body()["gracePeriodSeconds"], 5);
  transport_.Answer(200);
  ASSERT_TRUE(MakeClient().Delete(kPods, "demo", "a"));
  EXPECT_FALSE(Body().contains("preconditions"));
  EXPECT_FALSE(Body().contains("gracePeriodSeconds"));
}

TEST_F(ClientTest, AppliesAsAManager) {
  transport_.Answer(200).Answer(200);
  const json object = {{"kind", "Pod"}};
  ASSERT_TRUE(MakeClient().Apply(kPods, "demo", "a", object, {"evenkeel operator"}));
  EXPECT_EQ(Asked().method, "PATCH");
  EXPECT_EQ(Asked().content_type, "application/apply-patch+yaml");
  EXPECT_EQ(Asked().target,
            "/api/v1/namespaces/demo/pods/a?fieldManager=evenkeel%20operator&force=true");
  ASSERT_TRUE(MakeClient().ApplyStatus(kPods, "demo", "a", object, {"me", false}));
  EXPECT_EQ(Asked().target, "/api/v1/namespaces/demo/pods/a/status?fieldManager=me");
}

TEST_F(ClientTest, MergePatchesNameTheVersionTheyWereMadeFor) {
  transport_.Answer(200);
  ASSERT_TRUE(MakeClient().MergePatch(kPods, "demo", "a", {{"spec", {{"x", 1}}}}, "42"));
  EXPECT_EQ(Asked().content_type, "application/merge-patch+json");
  EXPECT_EQ(Body(), json::parse(R"({"spec":{"x":1},"metadata":{"resourceVersion":"42"}})"));
}

TEST_F(ClientTest, RepeatsWhatTheServerPutsOff) {
  transport_.Answer(429, "{}", seconds(7)).Answer(503).Answer(504).Answer(200, R"({"a":1})");
  const auto object = MakeClient().Get(kPods, "demo", "a");
  ASSERT_TRUE(object);
  EXPECT_EQ((*object)["a"], 1);
  ASSERT_EQ(time_.pauses.size(), 3u);
  EXPECT_EQ(time_.pauses[0], seconds(7));
}

TEST_F(ClientTest, GivesUpAfterSoManyAttempts) {
  for (int i = 0; i < 9; ++i) transport_.Answer(503);
  const auto object = MakeClient().Get(kPods, "demo", "a");
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().kind, ApiErrorKind::kUnavailable);
  EXPECT_EQ(object.error().status, 503);
  EXPECT_EQ(transport_.requests.size(), 5u);
}

TEST_F(ClientTest, DoesNotRepeatRefusalsAndBrokenConnections) {
  transport_.Answer(409).Break("connection reset");
  EXPECT_EQ(MakeClient().Get(kPods, "demo", "a").error().kind, ApiErrorKind::kConflict);
  const auto broken = MakeClient().Get(kPods, "demo", "a");
  EXPECT_EQ(broken.error().kind, ApiErrorKind::kUnavailable);
  EXPECT_EQ(broken.error().message, "connection reset");
  EXPECT_EQ(broken.error().status, 0);
  EXPECT_TRUE(time_.pauses.empty());
}

TEST_F(ClientTest, ANamelessObjectIsNotCreatedTwice) {
  const json nameless = {{"metadata", {{"generateName", "a-"}}}};
  transport_.Answer(504).Answer(201);
  EXPECT_FALSE(MakeClient().Create(kPods, "demo", nameless));
  EXPECT_EQ(transport_.requests.size(), 1u);
  EXPECT_TRUE(MakeClient().Create(kPods, "demo", nameless));
  transport_.Answer(429).Answer(201);
  EXPECT_TRUE(MakeClient().Create(kPods, "demo", nameless));
  transport_.Answer(504).Answer(201);
  EXPECT_TRUE(MakeClient().Create(kPods, "demo", {{"metadata", {{"name", "a"}}}}));
}

TEST_F(ClientTest, AStopEndsThePauses) {
  std::stop_source stop;
  stop.request_stop();
  ClientOptions options;
  options.waiter = &time_;
  options.stop = stop.get_token();
  transport_.Answer(503).Answer(200);
  const auto object = Client(transport_, options).Get(kPods, "demo", "a");
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().status, 503);
}

TEST_F(ClientTest, ARefusedTokenIsReadAgainOnce) {
  const report::TemporaryFolder folder;
  const std::string file = (folder.Path() / "token").string();
  std::ofstream(file) << "old" << std::flush;
  TokenSource tokens(file, time_);
  ASSERT_EQ(tokens.Token().value(), "old");
  std::ofstream(file) << "new" << std::flush;
  ClientOptions options;
  options.tokens = &tokens;
  transport_.Answer(401).Answer(200).Answer(401).Answer(401).Answer(200);
  const Client client(transport_, options);
  EXPECT_TRUE(client.Get(kPods, "demo", "a"));
  EXPECT_EQ(tokens.Token().value(), "new");
  EXPECT_EQ(client.Get(kPods, "demo", "a").error().kind, ApiErrorKind::kUnauthorized);
}

}  // namespace
}  // namespace evenkeel::kube
