// What the code of this project relies on in an API server. The in-memory server of the unit tests
// and a real one (EVENKEEL_TEST_KUBECONFIG) pass the same tests.
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "kubernetes/client.h"
#include "tests/support/api_under_test.h"

namespace evenkeel::kube {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using Events = std::vector<std::string>;

/// Of a custom resource with a status and without a schema, as of any with one.
const Resource kThings{"contract.evenkeel.dev", "v1", "things"};
const Resource kConfigMaps{"", "v1", "configmaps"};

json Thing(const std::string& name, int size) {
  return {{"apiVersion", "contract.evenkeel.dev/v1"},
          {"kind", "Thing"},
          {"metadata", {{"name", name}, {"namespace", "demo"}}},
          {"spec", {{"size", size}}}};
}

json ConfigMap(const std::string& name, json labels = json::object()) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "demo"}, {"labels", std::move(labels)}}}};
}

/// Keeps "ADDED a", "BOOKMARK " and the like; stops after `wanted` of them.
class Watcher final : public LineSink {
 public:
  explicit Watcher(std::size_t wanted) : wanted_(wanted) {}
  bool OnLine(std::string_view line) override {
    const std::lock_guard lock(mutex_);
    lines_.push_back(json::parse(line));
    return lines_.size() < wanted_;
  }
  [[nodiscard]] std::vector<json> Lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  [[nodiscard]] Events All() const {
    Events events;
    for (const json& line : Lines()) {
      events.push_back(line["type"].get<std::string>() + " " +
                       line["object"]["metadata"].value("name", ""));
    }
    return events;
  }

 private:
  const std::size_t wanted_;
  mutable std::mutex mutex_;
  std::vector<json> lines_;
};

class ApiContract : public ::testing::Test {
 protected:
  [[nodiscard]] Transport& Way() { return api_.transport(); }
  [[nodiscard]] support::TestApi& Server() { return api_.objects(); }
  void PutConfigMap(const std::string& name, json labels = json::object()) {
    Server().Put("/api/v1/configmaps", ConfigMap(name, std::move(labels)));
  }
  void EraseConfigMap(const std::string& name) {
    Server().Erase("/api/v1/configmaps", "demo", name);
  }
  std::future<ApiResult<void>> Watch(Watcher& watcher, const WatchOptions& options) {
    return std::async(std::launch::async, [this, &watcher, options] {
      return client_.Watch(kConfigMaps, "demo", options, seconds(20), watcher, {});
    });
  }
  WatchOptions FromNow() {
    WatchOptions options;
    options.resource_version = Server().ResourceVersion();
    return options;
  }

  support::ApiUnderTest api_;
  const Client client_{Way()};
};

// ---- Writes ----

TEST_F(ApiContract, AnObjectsLife) {
  const auto created = client_.Create(kThings, "demo", Thing("a", 1));
  ASSERT_TRUE(created) << created.error().message;
  const std::string uid = (*created)["metadata"]["uid"];
  EXPECT_EQ((*created)["metadata"]["generation"], 1);
  EXPECT_EQ(client_.Create(kThings, "demo", Thing("a", 1)).error().kind,
            ApiErrorKind::kAlreadyExists);
  const auto read = client_.Get(kThings, "demo", "a");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, *created);

  json changed = *read;
  changed["spec"]["size"] = 2;
  const auto replaced = client_.Replace(kThings, "demo", "a", changed);
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ((*replaced)["metadata"]["generation"], 2);
  EXPECT_EQ(client_.Replace(kThings, "demo", "a", changed).error().kind, ApiErrorKind::kConflict);

  DeleteOptions another;
  another.uid = "another";
  EXPECT_EQ(client_.Delete(kThings, "demo", "a", another).error().kind, ApiErrorKind::kConflict);
  DeleteOptions this_one;
  this_one.uid = uid;
  EXPECT_TRUE(client_.Delete(kThings, "demo", "a", this_one));
  EXPECT_EQ(client_.Get(kThings, "demo", "a").error().kind, ApiErrorKind::kNotFound);
  EXPECT_EQ(client_.Delete(kThings, "demo", "a").error().kind, ApiErrorKind::kNotFound);
}

TEST_F(ApiContract, ACustomResourceIsNotReplacedWithoutItsVersion) {
  ASSERT_TRUE(client_.Create(kThings, "demo", Thing("a", 1)));
  EXPECT_EQ(client_.Replace(kThings, "demo", "a", Thing("a", 2)).error().kind,
            ApiErrorKind::kInvalid);
  PutConfigMap("b");
  EXPECT_TRUE(client_.Replace(kConfigMaps, "demo", "b", ConfigMap("b", {{"x", "y"}})));
}

TEST_F(ApiContract, FinalizersHoldAnObject) {
  json thing = Thing("a", 1);
  thing["metadata"]["finalizers"] = {"evenkeel.dev/done"};
  ASSERT_TRUE(client_.Create(kThings, "demo", thing));
  const auto deleted = client_.Delete(kThings, "demo", "a");
  ASSERT_TRUE(deleted);
  EXPECT_TRUE((*deleted)["metadata"].contains("deletionTimestamp"));
  EXPECT_TRUE(client_.Get(kThings, "demo", "a"));
  ASSERT_TRUE(client_.MergePatch(kThings, "demo", "a", {{"metadata", {{"finalizers", nullptr}}}}));
  EXPECT_EQ(client_.Get(kThings, "demo", "a").error().kind, ApiErrorKind::kNotFound);
}

TEST_F(ApiContract, StatusAndTheRestAreApart) {
  json thing = Thing("a", 1);
  thing["status"] = {{"progress", "1%"}};
  const auto created = client_.Create(kThings, "demo", thing);
  ASSERT_TRUE(created);
  EXPECT_FALSE(created->contains("status"));
  const auto with_status =
      client_.MergePatch(kThings, "demo", "a",
                         {{"spec", {{"size", 9}}}, {"status", {{"progress", "2%"}}}}, "", "status");
  ASSERT_TRUE(with_status) << with_status.error().message;
  EXPECT_EQ((*with_status)["spec"]["size"], 1);
  EXPECT_EQ((*with_status)["status"]["progress"], "2%");
  EXPECT_EQ((*with_status)["metadata"]["generation"], 1);
  json next = *with_status;
  next["spec"]["size"] = 3;
  next["status"]["progress"] = "99%";
  const auto replaced = client_.Replace(kThings, "demo", "a", next);
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ((*replaced)["spec"]["size"], 3);
  EXPECT_EQ((*replaced)["status"]["progress"], "2%");
}

TEST_F(ApiContract, AMergePatchCanStateTheVersion) {
  const auto created = client_.Create(kThings, "demo", Thing("a", 3));
  const std::string version = (*created)["metadata"]["resourceVersion"];
  const json patch = {{"spec", {{"size", nullptr}, {"rounds", 2}}}};
  const auto patched = client_.MergePatch(kThings, "demo", "a", patch, version);
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_EQ((*patched)["spec"], json({{"rounds", 2}}));
  EXPECT_EQ(
      client_.MergePatch(kThings, "demo", "a", {{"spec", {{"size", 1}}}}, version).error().kind,
      ApiErrorKind::kConflict);
  EXPECT_EQ(client_.MergePatch(kThings, "demo", "none", patch).error().kind,
            ApiErrorKind::kNotFound);
}

TEST_F(ApiContract, AppliedFieldsBelongToTheirManagers) {
  json mine = Thing("a", 1);
  mine["spec"]["mine"] = "x";
  ASSERT_TRUE(client_.Apply(kThings, "demo", "a", mine, {"me"}));
  json theirs = Thing("a", 1);
  theirs["spec"]["theirs"] = "y";
  ASSERT_TRUE(client_.Apply(kThings, "demo", "a", theirs, {"they"}));

  // A field that this manager leaves out is removed, a field of the other manager stays.
  const auto less = client_.Apply(kThings, "demo", "a", Thing("a", 1), {"me"});
  EXPECT_EQ((*less)["spec"], json({{"size", 1}, {"theirs", "y"}}));
  const auto again = client_.Apply(kThings, "demo", "a", Thing("a", 1), {"me"});
  EXPECT_EQ((*again)["metadata"]["resourceVersion"], (*less)["metadata"]["resourceVersion"])
      << "what changes nothing makes no version";

  const auto clash = client_.Apply(kThings, "demo", "a", Thing("a", 2), {"me", false});
  EXPECT_EQ(clash.error().kind, ApiErrorKind::kConflict);
  const auto forced = client_.Apply(kThings, "demo", "a", Thing("a", 2), {"me", true});
  EXPECT_EQ((*forced)["spec"]["size"], 2);
}

TEST_F(ApiContract, ApplyChecksNameUidAndVersion) {
  const auto applied = client_.Apply(kThings, "demo", "a", Thing("a", 1), {"me"});
  ASSERT_TRUE(applied) << applied.error().message;
  json stale = Thing("a", 2);
  stale["metadata"]["resourceVersion"] = "1";
  EXPECT_EQ(client_.Apply(kThings, "demo", "a", stale, {"me"}).error().kind,
            ApiErrorKind::kConflict);
  json of_another = Thing("a", 2);
  of_another["metadata"]["uid"] = "7d4a8a52-3f44-4c1c-8f0e-000000000000";
  EXPECT_EQ(client_.Apply(kThings, "demo", "a", of_another, {"me"}).error().kind,
            ApiErrorKind::kInvalid);
  json same = Thing("a", 2);
  same["metadata"]["uid"] = (*applied)["metadata"]["uid"];
  same["metadata"]["resourceVersion"] = (*applied)["metadata"]["resourceVersion"];
  EXPECT_TRUE(client_.Apply(kThings, "demo", "a", same, {"me"}));
  json gone = of_another;
  gone["metadata"]["name"] = "gone";
  EXPECT_EQ(client_.Apply(kThings, "demo", "gone", gone, {"me"}).error().kind,
            ApiErrorKind::kConflict)
      << "what was deleted meanwhile is not made again";
  EXPECT_EQ(client_.Apply(kThings, "demo", "other", Thing("a", 1), {"me"}).error().kind,
            ApiErrorKind::kInvalid);
}

TEST_F(ApiContract, AppliedStatusLeavesTheRestAlone) {
  ASSERT_TRUE(client_.Apply(kThings, "demo", "a", Thing("a", 3), {"me"}));
  json status = Thing("a", 99);
  status["status"] = {{"progress", "5%"}};
  const auto written = client_.ApplyStatus(kThings, "demo", "a", status, {"me"});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ((*written)["status"]["progress"], "5%");
  EXPECT_EQ((*written)["spec"]["size"], 3);
  EXPECT_EQ(client_.ApplyStatus(kThings, "demo", "none", Thing("none", 1), {"me"}).error().kind,
            ApiErrorKind::kNotFound);
}

TEST_F(ApiContract, InvalidBodiesAreRefused) {
  EXPECT_EQ(client_.Create(kThings, "demo", {{"metadata", {{"name", "a"}}}}).error().kind,
            ApiErrorKind::kInvalid);
  EXPECT_EQ(client_.Create(kConfigMaps, "elsewhere", ConfigMap("a")).error().kind,
            ApiErrorKind::kInvalid);
  const std::string path = CollectionPath(kConfigMaps, "demo");
  EXPECT_EQ(Way().Send({"POST", path, "application/json", "{{{"})->status, 400);
  EXPECT_EQ(Way().Send({"PATCH", path + "/a", "text/plain", "{}"})->status, 415);
  EXPECT_EQ(Way().Send({"GET", "/nothing/here", "", ""})->status, 404);
}

TEST_F(ApiContract, NamesAreGenerated) {
  json map = ConfigMap("x");
  map["metadata"].erase("name");
  map["metadata"]["generateName"] = "worker-";
  const auto first = client_.Create(kConfigMaps, "demo", map);
  const auto second = client_.Create(kConfigMaps, "demo", map);
  ASSERT_TRUE(first && second);
  EXPECT_NE((*first)["metadata"]["name"], (*second)["metadata"]["name"]);
  EXPECT_TRUE((*first)["metadata"]["name"].get<std::string>().starts_with("worker-"));
}

// ---- Lists ----

TEST_F(ApiContract, PagesShowTheListAsItWasAtItsBeginning) {
  for (int i = 0; i < 7; ++i) PutConfigMap("p" + std::to_string(i));
  ListOptions options;
  options.limit = 3;
  std::vector<std::string> names;
  std::string version;
  do {
    const auto page = client_.List(kConfigMaps, "demo", options);
    ASSERT_TRUE(page) << page.error().message;
    for (const json& item : page->items) {
      names.push_back(item["metadata"]["name"]);
      EXPECT_FALSE(item.contains("kind")) << "items of built-in kinds carry none";
    }
    if (version.empty()) version = page->resource_version;
    EXPECT_EQ(page->resource_version, version);
    options.continue_token = page->continue_token;
    EraseConfigMap("p6");
  } while (!options.continue_token.empty());
  EXPECT_EQ(names, (std::vector<std::string>{"p0", "p1", "p2", "p3", "p4", "p5", "p6"}));
}

TEST_F(ApiContract, LabelsAndFieldsSelect) {
  PutConfigMap("a", {{"app", "x"}});
  PutConfigMap("b", {{"app", "y"}});
  const auto names = [&](const std::string& labels, const std::string& fields) {
    ListOptions options;
    options.label_selector = labels;
    options.field_selector = fields;
    std::string all;
    const auto page = client_.List(kConfigMaps, "demo", options);
    for (const json& item : page->items) {
      all += item["metadata"]["name"];
    }
    return all;
  };
  EXPECT_EQ(names("app=x", ""), "a");
  EXPECT_EQ(names("app!=x", ""), "b");
  EXPECT_EQ(names("app", ""), "ab");
  EXPECT_EQ(names("!app", ""), "");
  EXPECT_EQ(names("", "metadata.name=b"), "b");
  EXPECT_TRUE(client_.List(kConfigMaps, "elsewhere")->items.empty());
}

// ---- Watches ----

TEST_F(ApiContract, AWatchGoesOnFromAVersion) {
  PutConfigMap("a");
  const WatchOptions options = FromNow();
  PutConfigMap("b");
  PutConfigMap("b", {{"x", "y"}});
  EraseConfigMap("a");
  Watcher watcher(3);
  EXPECT_TRUE(Watch(watcher, options).get());
  EXPECT_EQ(watcher.All(), (Events{"ADDED b", "MODIFIED b", "DELETED a"}));
  const auto lines = watcher.Lines();
  EXPECT_EQ(lines[2]["object"]["kind"], "ConfigMap") << "objects of watches carry their kind";
}

TEST_F(ApiContract, AVersionFromBeforeTheHistoryIsGone) {
  WatchOptions options;
  options.resource_version = "1";
  Watcher watcher(1);
  const auto end = Watch(watcher, options).get();
  // Servers say so by an event or at once.
  if (!end) {
    EXPECT_EQ(end.error().kind, ApiErrorKind::kGone);
    return;
  }
  ASSERT_EQ(watcher.All(), (Events{"ERROR "}));
  EXPECT_EQ(ErrorFromStatus(watcher.Lines()[0]["object"], "watch").kind, ApiErrorKind::kGone);
}

TEST_F(ApiContract, AStreamedListHasAMarkedEnd) {
  PutConfigMap("a");
  PutConfigMap("b");
  WatchOptions options;
  options.send_initial_events = true;
  Watcher watcher(4);
  auto watch = Watch(watcher, options);
  while (watcher.Lines().size() < 3 &&
         watch.wait_for(std::chrono::milliseconds(2)) == std::future_status::timeout) {
  }
  PutConfigMap("c");
  ASSERT_TRUE(watch.get());
  EXPECT_EQ(watcher.All(), (Events{"ADDED a", "ADDED b", "BOOKMARK ", "ADDED c"}));
  const auto bookmark = watcher.Lines()[2]["object"]["metadata"];
  EXPECT_EQ(bookmark["annotations"]["k8s.io/initial-events-end"], "true");
  EXPECT_FALSE(bookmark["resourceVersion"].get<std::string>().empty());
}

TEST_F(ApiContract, ASelectionIsEnteredAndLeft) {
  WatchOptions options = FromNow();
  options.label_selector = "app=x";
  PutConfigMap("a");
  PutConfigMap("a", {{"app", "x"}});
  PutConfigMap("a", {{"app", "x"}, {"more", "y"}});
  PutConfigMap("a");
  Watcher watcher(3);
  EXPECT_TRUE(Watch(watcher, options).get());
  EXPECT_EQ(watcher.All(), (Events{"ADDED a", "MODIFIED a", "DELETED a"}));
}

TEST_F(ApiContract, AWatchEndsWhenItsTimeIsOver) {
  WatchOptions options = FromNow();
  options.bookmarks = false;
  options.timeout_seconds = 1;
  Watcher watcher(1);
  EXPECT_TRUE(Watch(watcher, options).get());
  EXPECT_TRUE(watcher.All().empty());
}

}  // namespace
}  // namespace evenkeel::kube
