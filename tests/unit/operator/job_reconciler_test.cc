#include "operator/job_reconciler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cluster/names.h"
#include "cluster/weighted_job_json.h"
#include "core/base/digest.h"
#include "operator/identity/job_identity.h"
#include "tests/unit/operator/operator_fixture.h"

namespace evenkeel::controller {
namespace {

using kube::Json;

const Json kPrimes = {{"workload", {{"primes", {{"end", 300000}}}}}};

const Json kAllDone = {{"state", "Complete"},
                       {"tasks", {{"total", 1000}, {"completed", 1000}, {"failed", 0}}},
                       {"progress", 1},
                       {"result", {{"count", 25997}}}};

Json WorkOf(const std::string& node, double units) {
  return {{"node", node}, {"units", units}, {"busySeconds", 8}, {"threads", 4}};
}

class JobReconcilerTest : public OperatorFixture {
 protected:
  void SetUp() override {
    OperatorFixture::SetUp();
    PutNode("pi4-a", 1500);
    PutNode("pi3", 1200);
  }
  [[nodiscard]] std::vector<std::string> AllOfPrimes() const {
    return {cluster::CoordinatorPodName("primes", 1), cluster::WorkerPodName("primes", "pi3"),
            cluster::WorkerPodName("primes", "pi4-a")};
  }
  /// Reconciles a job with a refused object twice; the status has the refusal after the second
  /// time.
  void ExpectRefusalInStatus() {
    PutJob("primes", kPrimes);
    AwaitCache();
    EXPECT_TRUE(reconciler_->Reconcile({"lab", "primes"}).failed);
    AwaitCache();
    EXPECT_TRUE(reconciler_->Reconcile({"lab", "primes"}).failed);
    EXPECT_EQ(Condition("primes", "Progressing").substr(0, 5), "False");
  }
  [[nodiscard]] bool Polled() {
    return kube::Eventually([this] { return poller_->Last({"lab", "primes"}).has_value(); });
  }
};

TEST_F(JobReconcilerTest, CreatesAllObjectsOfAJob) {
  PutJob("primes", kPrimes);
  Settle("primes");
  auto expected = AllOfPrimes();
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(PodNames(), expected);
  EXPECT_EQ(server_.All(kSecretsPath).size(), 2U);
  const auto plan = server_.Find(kConfigMapsPath, "lab", "primes-plan");
  ASSERT_TRUE(plan.has_value());
  const auto workers = server_.Find(kSecretsPath, "lab", "primes-worker-tls");
  ASSERT_TRUE(workers.has_value());
  for (const char* node : {"pi3", "pi4-a"}) {
    const std::string pod = cluster::WorkerPodName("primes", node);
    EXPECT_TRUE((*workers)["data"].contains(pod + ".crt"));
    EXPECT_TRUE((*workers)["data"].contains(pod + ".key"));
  }
  for (const Json& secret : server_.All(kSecretsPath)) {
    EXPECT_FALSE(secret["metadata"]["ownerReferences"].empty());
  }
  EXPECT_EQ(Status("primes")["state"], "Progressing");
}

TEST_F(JobReconcilerTest, ASecondReconciliationWithoutARecordChangesNothing) {
  PutJob("primes", kPrimes);
  Settle("primes");
  // The status may be written: the successor does not know when that was done last.
  const auto versions = [this] {
    std::vector<std::string> all;
    for (const auto* path : {&kPodsPath, &kSecretsPath}) {
      for (const Json& one : server_.All(*path)) all.push_back(one["metadata"]["resourceVersion"]);
    }
    return all;
  };
  const auto before = versions();
  // As after a restart of the operator: only the cluster remembers.
  plan::OperatorSettings settings;
  settings.image = "evenkeel/worker:newer";
  JobReconciler successor(JobReconciler::Parts{*cache_, *poller_, *events_, pacer_, history_,
                                               rates_, clock_, *executor_, settings});
  AwaitCache();
  const auto end = successor.Reconcile({"lab", "primes"});
  EXPECT_FALSE(end.failed) << end.error;
  EXPECT_EQ(versions(), before);
}

TEST_F(JobReconcilerTest, CopiesTheCoordinatorsReportToTheStatus) {
  PutJob("primes", kPrimes);
  Settle("primes");
  coordinators_.Answer({{"state", "Running"},
                        {"tasks", {{"total", 1000}, {"completed", 250}, {"failed", 0}}},
                        {"progress", 0.25},
                        {"etaSeconds", 30}});
  RunPods();
  Settle("primes");
  ASSERT_TRUE(Polled());
  Settle("primes");
  const Json status = Status("primes");
  EXPECT_EQ(status["progress"], "25%");
  EXPECT_EQ(status["tasks"]["completed"], 250);
  EXPECT_TRUE(status.contains("estimatedCompletionTime"));
  const auto polled = coordinators_.Addresses();
  ASSERT_FALSE(polled.empty());
  const auto job = server_.Find(kJobsPath, "lab", "primes");
  EXPECT_EQ(polled[0].server_name, "primes-coordinator");
  EXPECT_NE(polled[0].ca_pem.find("BEGIN CERTIFICATE"), std::string::npos);
  EXPECT_EQ(polled[0].tokens, std::vector<std::string>{identity::OperatorToken(
                                  "the operator's key", (*job)["metadata"]["uid"])});
}

TEST_F(JobReconcilerTest, ReportsEndsOfContainersToTheCoordinatorUntilItHasTheReport) {
  PutJob("primes", kPrimes);
  Settle("primes");
  Json progress = {{"state", "Running"}, {"containerEndsDigest", ""}};
  coordinators_.Answer(progress);
  RunPods();
  Settle("primes");
  ASSERT_TRUE(kube::Eventually([this] { return coordinators_.ContainerEnds() == "{}"; }));
  for (Json pod : server_.All(kPodsPath)) {
    if (pod["spec"]["nodeName"] != "pi3") continue;
    if (pod["metadata"]["labels"]["app.kubernetes.io/component"] != "worker") continue;
    pod["status"]["containerStatuses"].push_back({{"name", "command"},
                                                  {"restartCount", 1},
                                                  {"state", {{"running", Json::object()}}},
                                                  {"lastState",
                                                   {{"terminated",
                                                     {{"exitCode", 137},
                                                      {"reason", "OOMKilled"},
                                                      {"finishedAt", "2026-03-01T09:31:05Z"}}}}}});
    server_.Put(kPodsPath, pod);
  }
  const std::string report = R"({"pi3":[{"endedAt":1772357465,"outOfMemory":true}]})";
  ASSERT_TRUE(kube::Eventually([&] {
    Settle("primes");
    return coordinators_.ContainerEnds() == report;
  }));
  progress["containerEndsDigest"] = DigestOf(report);
  coordinators_.Answer(progress);
  ASSERT_TRUE(kube::Eventually([&] {
    const auto last = poller_->Last({"lab", "primes"});
    return last && last->progress.container_ends_digest == DigestOf(report);
  }));
  const auto puts = [this] {
    const auto calls = coordinators_.Calls();
    return std::count(calls.begin(), calls.end(), "PUT /container-ends");
  };
  const auto before = puts();
  const auto polls = coordinators_.Calls().size();
  ASSERT_TRUE(kube::Eventually([&] { return coordinators_.Calls().size() >= polls + 2; }));
  EXPECT_EQ(puts(), before) << "the coordinator has the report";
}

TEST_F(JobReconcilerTest, AJobThatIsCompleteIsLeftAlone) {
  PutJob("primes", kPrimes);
  Settle("primes");
  coordinators_.Answer(kAllDone);
  RunPods();
  Settle("primes");
  ASSERT_TRUE(Polled());
  Settle("primes");
  EXPECT_EQ(Status("primes")["state"], "Complete");
  EXPECT_EQ(Status("primes")["progress"], "100%");
  EXPECT_EQ(Condition("primes", "Complete").substr(0, 4), "True");
  EXPECT_EQ(PodNames().size(), 3U) << "the coordinator serves results, workers end by themselves";
}

TEST_F(JobReconcilerTest, AnnotatesARunningCoordinatorAfterTasksWereAppended) {
  const Json command = {{"image", "example.com/tool:1"}, {"command", {"/tool"}}, {"tasks", 5}};
  PutJob("growing", {{"workload", {{"command", command}}}});
  Settle("growing");
  Json job = *server_.Find(kJobsPath, "lab", "growing");
  coordinators_.Answer(
      {{"state", "Running"},
       {"tasks", {{"total", 5}, {"completed", 1}, {"failed", 0}}},
       {"workloadDigest", DigestOf(cluster::ReadWeightedJob(job).spec.workload_parameters)}});
  RunPods();
  Settle("growing");
  ASSERT_TRUE(kube::Eventually([this] { return poller_->Last({"lab", "growing"}).has_value(); }));
  Settle("growing");
  const auto annotations = [this] {
    const std::string name = cluster::CoordinatorPodName("growing", 1);
    return (*server_.Find(kPodsPath, "lab", name))["metadata"]["annotations"];
  };
  EXPECT_FALSE(annotations().contains("evenkeel.dev/refreshed"));

  job = *server_.Find(kJobsPath, "lab", "growing");
  job["spec"]["workload"]["command"]["tasks"] = 9;
  server_.Put(kJobsPath, job);
  for (int looks = 0; looks < 2; ++looks) {
    AwaitCache();
    EXPECT_FALSE(reconciler_->Reconcile({"lab", "growing"}).failed);
  }
  const auto plan = server_.Find(kConfigMapsPath, "lab", "growing-plan");
  EXPECT_NE((*plan)["data"]["job.json"].get<std::string>().find("\"tasks\":9"), std::string::npos);
  EXPECT_TRUE(annotations().contains("evenkeel.dev/refreshed"));
}

TEST_F(JobReconcilerTest, AJobThatIsOverEntersTheHistoryOnce) {
  PutJob("primes", kPrimes);
  Settle("primes");
  EXPECT_EQ(history_.Show().rows.size(), 2U) << "what is to come begins at 0";
  Json done = kAllDone;
  done["work"] = Json::array({WorkOf("pi3", 100), WorkOf("pi4-a", 400), WorkOf("elsewhere", 900)});
  coordinators_.Answer(done);
  RunPods();
  Settle("primes");
  ASSERT_TRUE(Polled());
  for (int look = 0; look < 3; ++look) Settle("primes");
  auto figures = history_.Show();
  EXPECT_EQ(figures.counted, 1);
  EXPECT_EQ(figures.missed, 0);
  ASSERT_EQ(figures.rows.size(), 2U);
  EXPECT_EQ(figures.rows[1].key, (ProfileKey{"lab", "primes"}));
  EXPECT_EQ(figures.rows[1].done.node, "pi4-a");
  // As if the status were not to be seen yet: it is written again, and nothing is counted.
  Json behind = *server_.Find(kJobsPath, "lab", "primes");
  behind.erase("status");
  server_.Put(kJobsPath, behind);
  Settle("primes");
  EXPECT_EQ(Status("primes")["state"], "Complete");
  EXPECT_EQ(history_.Show().counted, 1);
  // The next operator knows by the status that this job is done with.
  JobHistory empty(clock_, {});
  JobReconciler successor(JobReconciler::Parts{
      *cache_, *poller_, *events_, pacer_, empty, rates_, clock_, *executor_, {}});
  AwaitCache();
  EXPECT_FALSE(successor.Reconcile({"lab", "primes"}).failed);
  EXPECT_EQ(empty.Show().counted, 0);
  EXPECT_TRUE(empty.Show().rows.empty());
}

TEST_F(JobReconcilerTest, AJobWithoutReportedWorkIsCountedAsMissed) {
  PutJob("primes", kPrimes);
  Settle("primes");
  coordinators_.Answer(kAllDone);
  RunPods();
  Settle("primes");
  ASSERT_TRUE(Polled());
  Settle("primes");
  EXPECT_EQ(history_.Show().missed, 1);
  EXPECT_EQ(history_.Show().counted, 0);
}

TEST_F(JobReconcilerTest, ARefusalIsInTheStatusUntilItIsLifted) {
  transport_.Refuse("POST", "/pods",
                    {403, R"({"kind":"Status","reason":"Forbidden","message":"quota"})", {}});
  ExpectRefusalInStatus();
  transport_.RefuseNothing();
  Settle("primes");
  Settle("primes");
  EXPECT_EQ(PodNames().size(), 3U);
  EXPECT_EQ(Condition("primes", "Progressing").substr(0, 4), "True");
}

// Whether the server takes the status is not known yet: what failed before has not gone well.
TEST_F(JobReconcilerTest, AStatusThatWaitsForItsTurnIsUnfinishedWork) {
  StatusPacer slow{std::chrono::hours(1), 1};
  EXPECT_EQ(slow.Ask({"lab", "another"}, false, clock_.Now()), Duration::zero());
  plan::OperatorSettings settings;
  settings.image = "evenkeel/worker:test";
  JobReconciler reconciler(JobReconciler::Parts{*cache_, *poller_, *events_, slow, history_, rates_,
                                                clock_, *executor_, settings});
  PutJob("primes", kPrimes);
  AwaitCache();
  const auto waits = reconciler.Reconcile({"lab", "primes"});
  EXPECT_TRUE(waits.status_pending);
  EXPECT_FALSE(waits.failed);
  EXPECT_TRUE(waits.requeue_after.has_value());
  EXPECT_TRUE(Status("primes").is_null());
  Settle("primes");  // by the other reconciler, which need not wait
  AwaitCache();
  EXPECT_FALSE(reconciler_->Reconcile({"lab", "primes"}).status_pending);
}

TEST_F(JobReconcilerTest, APodThatOnlyClaimsToBelongToTheJobChangesNothing) {
  PutJob("primes", kPrimes);
  Settle("primes");
  const auto own = PodNames();
  Json impostor = *server_.Find(kPodsPath, "lab", "primes-coordinator-1");
  impostor["metadata"] = {{"name", "impostor"},
                          {"namespace", "lab"},
                          {"labels", impostor["metadata"]["labels"]},
                          {"annotations", {{"evenkeel.dev/attempt", "7"}}}};
  server_.Put(kPodsPath, impostor);
  Settle("primes");
  auto expected = own;
  expected.emplace_back("impostor");
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(PodNames(), expected);
}

/// Objects of others that have names which a job needs.
class NameConflictTest : public JobReconcilerTest {
 protected:
  /// An object without an owner; the text that the server has of it from now on.
  std::string PutForeign(const std::string& path, const std::string& kind, const std::string& name,
                         Json content) {
    Json object = std::move(content);
    object["apiVersion"] =
        path.substr(1, 3) == "api" && path[4] == '/' ? "v1" : "networking.k8s.io/v1";
    object["kind"] = kind;
    object["metadata"] = {{"name", name}, {"namespace", "lab"}};
    server_.Put(path, object);
    return server_.Find(path, "lab", name)->dump();
  }
  void ReconcileTwice(const std::string& job = "primes") {
    for (int i = 0; i < 2; ++i) {
      AwaitCache();
      EXPECT_TRUE(reconciler_->Reconcile({"lab", job}).failed);
    }
  }
};

TEST_F(NameConflictTest, ForeignObjectsAreNeverWrittenAndTheJobGoesOnWhenTheyAreGone) {
  struct Case {
    const char* path;
    const char* kind;
    const char* suffix;
    Json content;
  };
  const Json kPorts = Json::array({{{"name", "sql"}, {"port", 5432}}});
  const std::vector<Case> cases{
      {"/api/v1/services",
       "Service",
       "-coordinator",
       {{"spec", {{"selector", {{"app", "db"}}}, {"ports", kPorts}}}}},
      {"/api/v1/configmaps", "ConfigMap", "-plan", {{"data", {{"theirs", "1"}}}}},
      {"/api/v1/secrets", "Secret", "-worker-tls", {{"data", {{"theirs", "MQ=="}}}}},
      {"/api/v1/secrets", "Secret", "-coordinator-tls", {{"data", {{"theirs", "MQ=="}}}}},
      {"/apis/networking.k8s.io/v1/networkpolicies",
       "NetworkPolicy",
       "-worker",
       {{"spec", {{"podSelector", Json::object()}}}}}};
  std::size_t pods = 0;
  for (const Case& one : cases) {
    const std::string job = "prey" + std::to_string(pods);
    const std::string name = job + one.suffix;
    const std::string before = PutForeign(one.path, one.kind, name, one.content);
    PutJob(job, kPrimes);
    ReconcileTwice(job);
    EXPECT_EQ(server_.Find(one.path, "lab", name)->dump(), before) << name;
    EXPECT_EQ(Condition(job, "NameConflict"), "True NameTaken") << name;
    EXPECT_EQ(Condition(job, "Progressing"), "False NameConflict") << name;
    EXPECT_EQ(PodNames().size(), pods);
    server_.Erase(one.path, "lab", name);
    Settle(job);
    Settle(job);
    pods += 3;
    EXPECT_EQ(PodNames().size(), pods);
    EXPECT_EQ(Condition(job, "NameConflict"), "False Resolved");
  }
}

TEST_F(NameConflictTest, AForeignPodIsNamed) {
  server_.Put(kPodsPath,
              {{"metadata", {{"name", "primes-coordinator-1"}, {"namespace", "lab"}}},
               {"spec", {{"containers", Json::array({{{"name", "main"}, {"image", "x"}}})}}}});
  PutJob("primes", kPrimes);
  ReconcileTwice();
  EXPECT_EQ(Condition("primes", "Progressing"), "False NameConflict");
}

TEST_F(NameConflictTest, WaitsForObjectsOfAnEarlierJobOfTheSameName) {
  Json left = {{"apiVersion", "v1"}, {"kind", "Service"}};
  left["spec"]["ports"] = Json::array({{{"port", 80}}});
  left["metadata"] = {{"name", "primes-coordinator"}, {"namespace", "lab"}};
  left["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", "batch.evenkeel.dev/v1alpha1"},
                                                      {"kind", "WeightedJob"},
                                                      {"name", "primes"},
                                                      {"uid", "an-earlier-one"},
                                                      {"controller", true}}});
  server_.Put("/api/v1/services", left);
  PutJob("primes", kPrimes);
  ReconcileTwice();
  EXPECT_EQ(Condition("primes", "NameConflict"), "");
  server_.Erase("/api/v1/services", "lab", "primes-coordinator");
  Settle("primes");
  EXPECT_EQ(PodNames().size(), 3U);
}

/// Objects that the job owns.
class OwnedObjectsTest : public JobReconcilerTest {
 protected:
  void SetUp() override {
    JobReconcilerTest::SetUp();
    PutJob("primes", kPrimes);
    Settle("primes");
  }
  /// The cache shows this version of the object, or that it is gone.
  void AwaitOwned(const kube::Resource& resource, const std::string& path,
                  const std::string& name) {
    ASSERT_TRUE(kube::Eventually([&] {
      const auto there = server_.Find(path, "lab", name);
      const auto seen = cache_->FindOwned(resource, {"lab", name});
      if (!there) return seen == nullptr;
      return seen != nullptr && seen->resource_version == (*there)["metadata"]["resourceVersion"];
    }));
  }
  void AwaitAllOwned() {
    AwaitOwned(kServices, "/api/v1/services", "primes-coordinator");
    AwaitOwned(kConfigMaps, kConfigMapsPath, "primes-plan");
    AwaitOwned(kSecrets, kSecretsPath, "primes-worker-tls");
    AwaitOwned(kSecrets, kSecretsPath, "primes-coordinator-tls");
    AwaitOwned(kPolicies, kPoliciesPath, "primes-worker");
    AwaitOwned(kPolicies, kPoliciesPath, "primes-coordinator");
  }

  const std::string kPoliciesPath = "/apis/networking.k8s.io/v1/networkpolicies";
  const kube::Resource kServices{"", "v1", "services", true};
  const kube::Resource kConfigMaps{"", "v1", "configmaps", true};
  const kube::Resource kSecrets{"", "v1", "secrets", true};
  const kube::Resource kPolicies{"networking.k8s.io", "v1", "networkpolicies", true};
};

TEST_F(OwnedObjectsTest, RecreatesDeletedObjects) {
  AwaitAllOwned();
  Settle("primes");
  server_.Erase(kConfigMapsPath, "lab", "primes-plan");
  server_.Erase(kSecretsPath, "lab", "primes-worker-tls");
  server_.Erase(kPoliciesPath, "lab", "primes-worker");
  AwaitAllOwned();
  Settle("primes");
  EXPECT_TRUE(server_.Find(kConfigMapsPath, "lab", "primes-plan").has_value());
  EXPECT_TRUE(server_.Find(kSecretsPath, "lab", "primes-worker-tls").has_value());
  EXPECT_TRUE(server_.Find(kPoliciesPath, "lab", "primes-worker").has_value());
}

TEST_F(OwnedObjectsTest, RepairsChangedObjectsOnce) {
  AwaitAllOwned();
  Settle("primes");
  Json service = *server_.Find("/api/v1/services", "lab", "primes-coordinator");
  const Json selector = service["spec"]["selector"];
  service["spec"]["selector"]["evenkeel.dev/weighted-job"] = "another";
  service["metadata"]["managedFields"].push_back({{"manager", "kubectl-edit"}});
  server_.Put("/api/v1/services", service);
  AwaitAllOwned();
  Settle("primes");
  EXPECT_EQ((*server_.Find("/api/v1/services", "lab", "primes-coordinator"))["spec"]["selector"],
            selector);
  AwaitAllOwned();
  const std::string version = server_.ResourceVersion();
  Settle("primes");
  EXPECT_EQ(server_.ResourceVersion(), version);
}

TEST_F(OwnedObjectsTest, APlanOfAnotherWriterIsNotTrusted) {
  Json plan = *server_.Find(kConfigMapsPath, "lab", "primes-plan");
  plan["metadata"]["annotations"]["evenkeel.dev/image"] = "example.com/hostile:1";
  server_.Put(kConfigMapsPath, plan);
  AwaitAllOwned();
  // As after a restart of the operator.
  plan::OperatorSettings settings;
  settings.image = "evenkeel/worker:test";
  JobReconciler successor(JobReconciler::Parts{*cache_, *poller_, *events_, pacer_, history_,
                                               rates_, clock_, *executor_, settings});
  AwaitCache();
  EXPECT_FALSE(successor.Reconcile({"lab", "primes"}).failed);
  const Json mended = *server_.Find(kConfigMapsPath, "lab", "primes-plan");
  EXPECT_EQ(mended["metadata"]["annotations"]["evenkeel.dev/image"], "evenkeel/worker:test");
}

TEST_F(JobReconcilerTest, ATerminatingNamespaceIsNotAnError) {
  const std::string body = R"({"kind":"Status","reason":"Forbidden","message":"ends","details":)"
                           R"({"causes":[{"reason":"NamespaceTerminating"}]}})";
  transport_.Refuse("POST", "/pods", {403, body, {}});
  PutJob("primes", kPrimes);
  AwaitCache();
  const auto end = reconciler_->Reconcile({"lab", "primes"});
  EXPECT_FALSE(end.failed) << end.error;
}

TEST_F(JobReconcilerTest, AJobThatIsGoneIsForgotten) {
  PutJob("primes", kPrimes);
  Settle("primes");
  server_.Erase(kJobsPath, "lab", "primes");
  ASSERT_TRUE(kube::Eventually([this] { return cache_->Job({"lab", "primes"}) == nullptr; }));
  const auto end = reconciler_->Reconcile({"lab", "primes"});
  EXPECT_FALSE(end.failed);
  EXPECT_FALSE(end.requeue_after.has_value());
}

}  // namespace
}  // namespace evenkeel::controller
