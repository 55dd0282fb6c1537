#include <gtest/gtest.h>

#include "tests/unit/kubernetes/server_fixture.h"

namespace evenkeel::kube {
namespace {

using nlohmann::json;

class FakeApiWrites : public ServerTest {};

TEST_F(FakeApiWrites, FinalizersHoldAnObject) {
  json job = Job("primes", 1);
  job["metadata"]["finalizers"] = {"evenkeel.dev/done"};
  server_.Put(kJobsPath, job);
  const auto deleted = client_->Delete(kJobs, "demo", "primes");
  ASSERT_TRUE(deleted);
  EXPECT_TRUE((*deleted)["metadata"].contains("deletionTimestamp"));
  EXPECT_TRUE(server_.Find(kJobsPath, "demo", "primes"));
  ASSERT_TRUE(
      client_->MergePatch(kJobs, "demo", "primes", {{"metadata", {{"finalizers", nullptr}}}}));
  EXPECT_FALSE(server_.Find(kJobsPath, "demo", "primes"));
}

TEST_F(FakeApiWrites, StatusAndTheRestAreApart) {
  json job = Job("primes", 1);
  job["status"] = {{"progress", "1%"}};
  const auto created = client_->Create(kJobs, "demo", job);
  ASSERT_TRUE(created);
  EXPECT_FALSE(created->contains("status"));
  const auto with_status = client_->MergePatch(
      kJobs, "demo", "primes", {{"spec", {{"size", 9}}}, {"status", {{"progress", "2%"}}}}, "",
      "status");
  ASSERT_TRUE(with_status);
  EXPECT_EQ((*with_status)["spec"]["size"], 1);
  EXPECT_EQ((*with_status)["status"]["progress"], "2%");
  EXPECT_EQ((*with_status)["metadata"]["generation"], 1);
  const auto replaced = client_->Replace(kJobs, "demo", "primes", Job("primes", 3));
  EXPECT_EQ((*replaced)["status"]["progress"], "2%");
}

TEST_F(FakeApiWrites, AppliedFieldsBelongToTheirManagers) {
  json mine = Job("primes", 1);
  mine["spec"]["mine"] = "x";
  ASSERT_TRUE(client_->Apply(kJobs, "demo", "primes", mine, {"me"}));
  json theirs = Job("primes", 1);
  theirs["spec"]["theirs"] = "y";
  ASSERT_TRUE(client_->Apply(kJobs, "demo", "primes", theirs, {"they"}));

  // Fields that the manager leaves out go; those of others stay.
  const auto less = client_->Apply(kJobs, "demo", "primes", Job("primes", 1), {"me"});
  EXPECT_EQ((*less)["spec"], json({{"size", 1}, {"theirs", "y"}}));

  const auto clash = client_->Apply(kJobs, "demo", "primes", Job("primes", 2), {"me", false});
  EXPECT_EQ(clash.error().kind, ApiErrorKind::kConflict);
  const auto forced = client_->Apply(kJobs, "demo", "primes", Job("primes", 2), {"me", true});
  EXPECT_EQ((*forced)["spec"]["size"], 2);
}

TEST_F(FakeApiWrites, ApplyNeedsTheRightNameAndVersion) {
  ASSERT_TRUE(client_->Apply(kJobs, "demo", "primes", Job("primes", 1), {"me"}));
  json stale = Job("primes", 2);
  stale["metadata"]["resourceVersion"] = "1";
  EXPECT_EQ(client_->Apply(kJobs, "demo", "primes", stale, {"me"}).error().kind,
            ApiErrorKind::kConflict);
  EXPECT_EQ(client_->Apply(kJobs, "demo", "other", Job("primes", 1), {"me"}).error().kind,
            ApiErrorKind::kInvalid);
  EXPECT_EQ(client_->ApplyStatus(kJobs, "demo", "none", Job("none", 1), {"me"}).error().kind,
            ApiErrorKind::kNotFound);
}

TEST_F(FakeApiWrites, RefusesBodiesThatMakeNoSense) {
  EXPECT_EQ(client_->Create(kPods, "demo", {{"metadata", {{"name", "a"}}}}).error().kind,
            ApiErrorKind::kInvalid);
  EXPECT_EQ(client_->Create(kPods, "elsewhere", Pod("a")).error().kind, ApiErrorKind::kInvalid);
  const auto garbage = transport_->Send({"POST", kPodsPath, "application/json", "{{{"});
  EXPECT_EQ(garbage->status, 400);
  const auto unknown = transport_->Send({"PATCH", kPodsPath + "/a", "text/plain", "{}"});
  EXPECT_EQ(unknown->status, 415);
  EXPECT_EQ(transport_->Send({"GET", "/version", "", ""})->status, 404);
}

TEST_F(FakeApiWrites, GeneratesNames) {
  json pod = Pod("x");
  pod["metadata"].erase("name");
  pod["metadata"]["generateName"] = "worker-";
  const auto first = client_->Create(kPods, "demo", pod);
  const auto second = client_->Create(kPods, "demo", pod);
  ASSERT_TRUE(first && second);
  EXPECT_NE((*first)["metadata"]["name"], (*second)["metadata"]["name"]);
  EXPECT_EQ(server_.All(kPodsPath).size(), 2u);
}

TEST_F(FakeApiWrites, NamespacesThemselvesAreObjects) {
  const Resource namespaces{"", "v1", "namespaces", false};
  server_.Put("/api/v1/namespaces",
              {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "demo"}}}});
  EXPECT_TRUE(client_->Get(namespaces, "", "demo"));
  EXPECT_EQ(client_->List(namespaces, "")->items.size(), 1u);
}

}  // namespace
}  // namespace evenkeel::kube
