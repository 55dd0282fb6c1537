#include "kubernetes/owned_object.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/kubernetes/scripted_transport.h"

namespace evenkeel::kube {
namespace {

using nlohmann::json;
using Kind = OwnedObjectError::Kind;

const OwnedObjectOptions kOptions{"ours", "example.com/digest"};

/// A ConfigMap a/x, as the server has it.
json ObjectOf(const std::string& owner_uid, const std::string& digest) {
  return {{"metadata",
           {{"name", "x"},
            {"namespace", "a"},
            {"uid", "u1"},
            {"resourceVersion", "7"},
            {"annotations", {{"example.com/digest", digest}}},
            {"ownerReferences",
             {{{"kind", "Job"}, {"name", "j"}, {"uid", owner_uid}, {"controller", true}}}}}}};
}

class OwnedObjectTest : public testing::Test {
 protected:
  OwnedObjectTest() {
    desired_.resource = {"", "v1", "configmaps"};
    desired_.kind = "ConfigMap";
    desired_.key = {"a", "x"};
    desired_.owner = {"Job", "j", "owner"};
    desired_.make = [] { return Result<Json>(json{{"metadata", {{"name", "x"}}}}); };
    desired_.digest = "new";
  }

  /// `observed` is null if the cache has nothing.
  auto Reconcile(const json& observed) {
    std::optional<OwnedMetadata> metadata;
    if (!observed.is_null()) metadata = *ReadOwnedMetadata(observed, kOptions);
    return ReconcileOwned(Client(transport_, {}), kOptions, desired_,
                          metadata ? &*metadata : nullptr, applied_, Instant{});
  }
  [[nodiscard]] json Sent() const { return json::parse(transport_.requests.back().body); }

  ScriptedTransport transport_;
  DesiredObject desired_;
  AppliedObject applied_;
};

TEST_F(OwnedObjectTest, IsAppliedWithUidAndVersionAsPreconditions) {
  transport_.Answer(200, ObjectOf("owner", "new").dump());
  const auto outcome = Reconcile(ObjectOf("owner", "old"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(*outcome, OwnedObjectOutcome::kWritten);
  EXPECT_EQ(transport_.requests.back().method, "PATCH");
  EXPECT_EQ(Sent()["metadata"]["uid"], "u1");
  EXPECT_EQ(Sent()["metadata"]["resourceVersion"], "7");
  EXPECT_EQ(Sent()["metadata"]["annotations"]["example.com/digest"], "new");
}

TEST_F(OwnedObjectTest, IsNotWrittenIfItWasReplacedInBetween) {
  transport_.Answer(409, R"({"reason": "Conflict"})");
  const auto outcome = Reconcile(ObjectOf("owner", "old"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Kind::kStale);
}

TEST_F(OwnedObjectTest, OfAnotherOwnerIsNeverWritten) {
  const struct {
    json owner;
    Kind want;
  } cases[] = {
      {{{"kind", "Job"}, {"name", "other"}, {"uid", "o2"}, {"controller", true}},
       Kind::kNameConflict},
      {{{"kind", "Job"}, {"name", "j"}, {"uid", "owner"}}, Kind::kNameConflict},  // no controller
      {{{"kind", "Job"}, {"name", "j"}, {"uid", "o2"}, {"controller", true}},
       Kind::kBeingCollected},
  };
  for (const auto& one : cases) {
    json object = ObjectOf("", "old");
    object["metadata"]["ownerReferences"] = json::array({one.owner});
    transport_.Answer(409, R"({"reason": "AlreadyExists"})").Answer(200, object.dump());
    const auto outcome = Reconcile(json());
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, one.want) << one.owner;
    EXPECT_EQ(outcome.error().object, "ConfigMap a/x");
    EXPECT_EQ(transport_.requests.back().method, "GET");
    // It carries the label that caches follow.
    transport_.requests.clear();
    transport_.Answer(200, object.dump());
    const auto seen = Reconcile(object);
    ASSERT_FALSE(seen);
    EXPECT_EQ(seen.error().kind, one.want) << one.owner;
    ASSERT_EQ(transport_.requests.size(), 1U);
    EXPECT_EQ(transport_.requests[0].method, "GET");
  }
}

TEST_F(OwnedObjectTest, ThatIsBeingDeletedIsWaitedFor) {
  json object = ObjectOf("owner", "old");
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  transport_.Answer(200, object.dump());
  const auto outcome = Reconcile(object);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Kind::kBeingCollected);
  ASSERT_EQ(transport_.requests.size(), 1U);
  EXPECT_EQ(transport_.requests[0].method, "GET");
}

TEST_F(OwnedObjectTest, IsLeftAloneWhileNobodyElseHasWrittenIt) {
  json object = ObjectOf("owner", "new");
  object["metadata"]["managedFields"] = {{{"manager", "ours"}},
                                         {{"manager", "kubelet"}, {"subresource", "status"}}};
  ASSERT_TRUE(Reconcile(object));
  EXPECT_TRUE(transport_.requests.empty());
  object["metadata"]["managedFields"].push_back({{"manager", "kubectl"}});
  transport_.Answer(200, object.dump());
  EXPECT_EQ(*Reconcile(object), OwnedObjectOutcome::kWritten);
}

}  // namespace
}  // namespace evenkeel::kube
