#include <gtest/gtest.h>

#include "tests/unit/kubernetes/server_fixture.h"

namespace evenkeel::kube {
namespace {

using nlohmann::json;

class ClientAndServer : public ServerTest {};

TEST_F(ClientAndServer, AnObjectsLife) {
  const auto created = client_->Create(kJobs, "demo", Job("primes", 1));
  ASSERT_TRUE(created) << created.error().message;
  const std::string uid = (*created)["metadata"]["uid"];

  EXPECT_EQ(client_->Create(kJobs, "demo", Job("primes", 1)).error().kind,
            ApiErrorKind::kAlreadyExists);
  const auto read = client_->Get(kJobs, "demo", "primes");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, *created);

  json changed = *read;
  changed["spec"]["size"] = 2;
  const auto replaced = client_->Replace(kJobs, "demo", "primes", changed);
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ((*replaced)["metadata"]["generation"], 2);
  EXPECT_EQ(client_->Replace(kJobs, "demo", "primes", changed).error().kind,
            ApiErrorKind::kConflict);

  DeleteOptions another;
  another.uid = "another";
  EXPECT_EQ(client_->Delete(kJobs, "demo", "primes", another).error().kind,
            ApiErrorKind::kConflict);
  DeleteOptions this_one;
  this_one.uid = uid;
  EXPECT_TRUE(client_->Delete(kJobs, "demo", "primes", this_one));
  EXPECT_EQ(client_->Get(kJobs, "demo", "primes").error().kind, ApiErrorKind::kNotFound);
  EXPECT_EQ(client_->Delete(kJobs, "demo", "primes").error().kind, ApiErrorKind::kNotFound);
}

TEST_F(ClientAndServer, ListsPageByPageAsItWasAtTheBeginning) {
  for (int i = 0; i < 7; ++i) server_.Put(kPodsPath, Pod("p" + std::to_string(i)));
  ListOptions options;
  options.limit = 3;
  std::vector<std::string> names;
  std::string version;
  do {
    const auto page = client_->List(kPods, "", options);
    ASSERT_TRUE(page) << page.error().message;
    for (const json& item : page->items) {
      names.push_back(item["metadata"]["name"]);
      EXPECT_FALSE(item.contains("kind")) << "items of built-in kinds carry none";
    }
    if (version.empty()) version = page->resource_version;
    EXPECT_EQ(page->resource_version, version);
    options.continue_token = page->continue_token;
    server_.Erase(kPodsPath, "demo", "p6");
  } while (!options.continue_token.empty());
  EXPECT_EQ(names, (std::vector<std::string>{"p0", "p1", "p2", "p3", "p4", "p5", "p6"}));
}

TEST_F(ClientAndServer, AnOldContinueTokenIsGone) {
  for (int i = 0; i < 3; ++i) server_.Put(kPodsPath, Pod("p" + std::to_string(i)));
  ListOptions options;
  options.limit = 2;
  const auto page = client_->List(kPods, "", options);
  ASSERT_TRUE(page);
  server_.CompactHistory();
  options.continue_token = page->continue_token;
  const auto gone = client_->List(kPods, "", options);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ApiErrorKind::kGone);
  EXPECT_EQ(gone.error().reason, "Expired");
}

TEST_F(ClientAndServer, SelectsByLabelsAndFields) {
  server_.Put(kPodsPath, Pod("a", {{"app", "x"}}));
  server_.Put(kPodsPath, Pod("b", {{"app", "y"}}));
  ListOptions options;
  options.label_selector = "app=x";
  EXPECT_EQ(client_->List(kPods, "demo", options)->items.size(), 1u);
  options.label_selector = "app!=x";
  EXPECT_EQ(client_->List(kPods, "demo", options)->items[0]["metadata"]["name"], "b");
  options.label_selector = "";
  options.field_selector = "metadata.name=a";
  EXPECT_EQ(client_->List(kPods, "demo", options)->items.size(), 1u);
  EXPECT_EQ(client_->List(kPods, "elsewhere")->items.size(), 0u);
}

TEST_F(ClientAndServer, AppliesAndPatches) {
  const auto applied = client_->Apply(kJobs, "demo", "primes", Job("primes", 3), {"me"});
  ASSERT_TRUE(applied) << applied.error().message;
  const auto again = client_->Apply(kJobs, "demo", "primes", Job("primes", 3), {"me"});
  EXPECT_EQ(*again, *applied) << "no change, no new version";

  json status = Job("primes", 99);
  status["status"] = {{"progress", "5%"}};
  const auto written = client_->ApplyStatus(kJobs, "demo", "primes", status, {"me"});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ((*written)["status"]["progress"], "5%");
  EXPECT_EQ((*written)["spec"]["size"], 3);

  const std::string version = (*written)["metadata"]["resourceVersion"];
  const json patch = {{"spec", {{"size", nullptr}, {"rounds", 2}}}};
  const auto patched = client_->MergePatch(kJobs, "demo", "primes", patch, version);
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_EQ((*patched)["spec"], json({{"rounds", 2}}));
  EXPECT_EQ((*patched)["status"]["progress"], "5%");
  EXPECT_EQ(client_->MergePatch(kJobs, "demo", "primes", patch, version).error().kind,
            ApiErrorKind::kConflict);
}

TEST_F(ClientAndServer, OutlivesRefusalsForAMoment) {
  server_.Put(kPodsPath, Pod("a"));
  support::Fault busy;
  busy.status = 503;
  server_.Inject(busy);
  support::Fault slow_down;
  slow_down.status = 429;
  slow_down.retry_after_seconds = 1;
  server_.Inject(slow_down);
  EXPECT_TRUE(client_->Get(kPods, "demo", "a"));
  EXPECT_EQ(server_.Requests().size(), 3u);
}

}  // namespace
}  // namespace evenkeel::kube
