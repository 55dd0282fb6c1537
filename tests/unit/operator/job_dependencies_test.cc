#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/operator/operator_fixture.h"

namespace evenkeel::controller {
namespace {

using kube::Json;
using Keys = std::set<kube::ObjectKey>;

/// Jobs that wait for each other, as the cache and the reconciler see them.
class JobDependenciesTest : public OperatorFixture {
 protected:
  void SetUp() override {
    OperatorFixture::SetUp();
    Notified();
    PutNode("pi4-a", 1500);
    // A node concerns all jobs: its handling must not fall into a test.
    const kube::ObjectKey first{"lab", "seen-1"};
    ASSERT_TRUE(kube::Eventually([&] { return TakeNotifiedJobs().contains(first); }));
  }
  void PutJobAfter(const std::string& name, const std::vector<std::string>& after, Json more = {}) {
    Json spec = {{"workload", {{"primes", {{"end", 300000}}}}}};
    if (!after.empty()) spec["after"] = after;
    if (more.is_object()) spec.update(more);
    PutJob(name, spec);
  }
  void ChangeStatus(const std::string& name, const std::function<void(Json& status)>& change) {
    Json job = *server_.Find(kJobsPath, "lab", name);
    change(job["status"]);
    server_.Put(kJobsPath, job);
  }
  /// The job gets this condition, as if the operator had written it.
  void End(const std::string& name, const std::string& type, const std::string& reason) {
    ChangeStatus(name, [&](Json& status) {
      status["conditions"] = Json::array({{{"type", type},
                                           {"status", "True"},
                                           {"reason", reason},
                                           {"message", "m"},
                                           {"observedGeneration", 1},
                                           {"lastTransitionTime", "2026-01-01T00:00:00Z"}}});
    });
  }
  /// The jobs that the cache has named since the last call, once it has seen all that was written.
  Keys Notified() {
    const std::string last = "seen-" + std::to_string(++marks_);
    PutJobAfter(last, {});
    Keys notified;
    EXPECT_TRUE(kube::Eventually([&] {
      notified.merge(TakeNotifiedJobs());
      return notified.contains({"lab", last});
    }));
    std::erase_if(notified, [](const auto& key) { return key.name.starts_with("seen-"); });
    return notified;
  }
  /// Objects of all kinds that the operator creates for jobs.
  [[nodiscard]] std::ptrdiff_t ObjectsOfJobs() const {
    std::ptrdiff_t count = 0;
    for (const auto& path :
         {kPodsPath, kConfigMapsPath, kSecretsPath, std::string("/api/v1/services"),
          std::string("/apis/networking.k8s.io/v1/networkpolicies")}) {
      const auto objects = server_.All(path);
      count += std::count_if(objects.begin(), objects.end(), [](const Json& object) {
        return object["metadata"]["namespace"] == "lab";
      });
    }
    return count;
  }
  Reconciliation ReconcileOnce(const std::string& job) {
    AwaitCache();
    return reconciler_->Reconcile({"lab", job});
  }

  int marks_ = 0;
};

TEST_F(JobDependenciesTest, AWaitingJobHasNoObjectsAndStartsAfterTheOther) {
  PutJobAfter("extract", {});
  PutJobAfter("load", {"extract"});
  Settle("load");
  EXPECT_EQ(Status("load")["state"], "WaitingForJobs");
  EXPECT_EQ(Condition("load", "Progressing"), "False WaitingForJobs");
  EXPECT_EQ(ObjectsOfJobs(), 0);
  End("extract", "Complete", "AllTasksDone");
  Settle("load");
  EXPECT_EQ(Condition("load", "Progressing"), "True Starting");
  EXPECT_EQ(PodNames().size(), 2U);
  EXPECT_EQ(Status("load")["after"][0]["name"], "extract");
}

TEST_F(JobDependenciesTest, WhatIsDecisiveForOtherJobsBringsThemBack) {
  PutJobAfter("bystander", {});
  PutJobAfter("load", {"extract"});
  PutJobAfter("report", {"load"});
  Notified();
  PutJobAfter("extract", {});
  EXPECT_EQ(Notified(), (Keys{{"lab", "extract"}, {"lab", "load"}}));
  ChangeStatus("extract", [](Json& status) { status["progress"] = "40%"; });
  EXPECT_EQ(Notified(), (Keys{{"lab", "extract"}})) << "figures do not matter";
  End("extract", "Complete", "AllTasksDone");
  EXPECT_EQ(Notified(), (Keys{{"lab", "extract"}, {"lab", "load"}}));
  server_.Erase(kJobsPath, "lab", "extract");
  EXPECT_EQ(Notified(), (Keys{{"lab", "extract"}, {"lab", "load"}}));
  End("load", "Failed", "DependencyFailed");
  // The job that it waited for need not be kept any longer.
  EXPECT_EQ(Notified(), (Keys{{"lab", "extract"}, {"lab", "load"}, {"lab", "report"}}));
}

TEST_F(JobDependenciesTest, AJobIsNotDeletedBeforeItsEndIsRecorded) {
  PutJobAfter("extract", {}, {{"ttlSecondsAfterFinished", 0}});
  PutJobAfter("load", {"extract"});
  Settle("load");
  End("extract", "Complete", "AllTasksDone");
  Settle("extract");
  EXPECT_TRUE(server_.Find(kJobsPath, "lab", "extract").has_value());
  Notified();
  Settle("load");
  EXPECT_TRUE(Notified().contains({"lab", "extract"}));
  EXPECT_FALSE(ReconcileOnce("extract").failed);
  EXPECT_FALSE(server_.Find(kJobsPath, "lab", "extract").has_value());
  EXPECT_EQ(Condition("load", "Progressing"), "True Starting");
}

TEST_F(JobDependenciesTest, TheNextOperatorGoesByTheStatus) {
  PutJobAfter("extract", {});
  PutJobAfter("clean", {});
  PutJobAfter("load", {"extract", "clean"});
  End("extract", "Complete", "AllTasksDone");
  Settle("load");
  server_.Erase(kJobsPath, "lab", "extract");
  End("clean", "Complete", "AllTasksDone");
  AwaitCache();
  ASSERT_TRUE(kube::Eventually([this] { return cache_->Job({"lab", "extract"}) == nullptr; }));
  plan::OperatorSettings settings;
  settings.image = "evenkeel/worker:test";
  JobReconciler successor(JobReconciler::Parts{*cache_, *poller_, *events_, pacer_, history_,
                                               rates_, clock_, *executor_, settings});
  // It starts when the API server has recorded which jobs were complete: these may be gone by then.
  EXPECT_FALSE(successor.Reconcile({"lab", "load"}).failed);
  EXPECT_EQ(Status("load")["after"].size(), 2U);
  EXPECT_EQ(Condition("load", "Progressing"), "False WaitingForJobs");
  AwaitCache();
  EXPECT_FALSE(successor.Reconcile({"lab", "load"}).failed);
  EXPECT_EQ(Condition("load", "Progressing"), "True Starting");
  EXPECT_EQ(Status("load")["after"].size(), 2U);
}

TEST_F(JobDependenciesTest, ACircleFailsEachOfItsJobs) {
  PutJobAfter("a", {"b"});
  Settle("a");
  EXPECT_EQ(Condition("a", "Progressing"), "False WaitingForJobs");
  PutJobAfter("b", {"a"});
  Settle("b");
  Settle("a");
  EXPECT_EQ(Condition("a", "Failed"), "True CircularDependency");
  EXPECT_EQ(Condition("b", "Failed"), "True CircularDependency");
  EXPECT_TRUE(PodNames().empty());
}

TEST_F(JobDependenciesTest, ADeletedJobLeavesNothingBehind) {
  PutJobAfter("load", {"extract"});
  Settle("load");
  server_.Erase(kJobsPath, "lab", "load");
  ASSERT_TRUE(kube::Eventually([this] { return cache_->Job({"lab", "load"}) == nullptr; }));
  EXPECT_FALSE(ReconcileOnce("load").failed);
  EXPECT_EQ(ObjectsOfJobs(), 0);
}

TEST_F(JobDependenciesTest, ALongChainTakesOneStatusWriteForEachJob) {
  constexpr int kJobs = 60;
  const auto name = [](int i) { return "job-" + std::to_string(i); };
  PutJobAfter(name(0), {"absent"});
  for (int i = 1; i < kJobs; ++i) PutJobAfter(name(i), {name(i - 1)});
  AwaitCache();
  const auto reconcile_all = [&] {
    for (int i = 0; i < kJobs; ++i) {
      const auto end = reconciler_->Reconcile({"lab", name(i)});
      EXPECT_FALSE(end.failed || end.requeue_after) << end.error;
    }
    AwaitCache();
  };
  reconcile_all();
  for (int i = 0; i < kJobs; ++i) EXPECT_EQ(Status(name(i))["state"], "WaitingForJobs") << i;
  // Events are recorded on another thread, so the jobs themselves are compared.
  const auto versions = [this] {
    std::vector<std::string> found;
    for (const Json& job : server_.All(kJobsPath)) {
      found.push_back(job["metadata"]["resourceVersion"].get<std::string>());
    }
    return found;
  };
  const auto before = versions();
  reconcile_all();
  EXPECT_EQ(versions(), before);
}

}  // namespace
}  // namespace evenkeel::controller
