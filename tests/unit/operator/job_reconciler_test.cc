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
  /// Of one of the objects that the job needs; said in the status once it has happened twice.
  void ExpectARefusalThatIsSaid() {
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

TEST_F(JobReconcilerTest, MakesAllThatAJobConsistsOf) {
  PutJob("primes", kPrimes);
  Settle("primes");
  auto expected = AllOfPrimes();
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(PodNames(), expected);
  EXPECT_EQ(server_.All(kSecretsPath).size(), 2U);
  const auto plan = server_.Find(kConfigMapsPath, "lab", "primes-plan");
  ASSERT_TRUE(plan.has_value());
  const std::string ca = (*plan)["data"]["ca.crt"];
  EXPECT_NE(ca.find("BEGIN CERTIFICATE"), std::string::npos);
  for (const Json& secret : server_.All(kSecretsPath)) {
    EXPECT_FALSE(secret["metadata"]["ownerReferences"].empty());
  }
  EXPECT_EQ(Status("primes")["state"], "Progressing");
}

TEST_F(JobReconcilerTest, ASecondLookFromNothingChangesNothing) {
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
                                               rates_, clock_, *tools_, settings});
  AwaitCache();
  const auto end = successor.Reconcile({"lab", "primes"});
  EXPECT_FALSE(end.failed) << end.trouble;
  EXPECT_EQ(versions(), before);
}

TEST_F(JobReconcilerTest, AsksTheCoordinatorAndTellsWhatItSaid) {
  PutJob("primes", kPrimes);
  Settle("primes");
  cluster::Progress progress;
  progress.epoch = 1;
  progress.tasks = {1000, 250, 0};
  progress.fraction = 0.25;
  progress.eta = std::chrono::seconds(30);
  progress.workers = {{"pi4-a", 2, true, 700, 200, 5, 100, "Running"}};
  coordinators_.Says(progress);
  RunPods();
  Settle("primes");
  ASSERT_TRUE(Polled());
  Settle("primes");
  const Json status = Status("primes");
  EXPECT_EQ(status["progress"], "25%");
  EXPECT_EQ(status["tasks"]["completed"], 250);
  EXPECT_TRUE(status.contains("estimatedCompletionTime"));
  const auto asked = coordinators_.Asked();
  ASSERT_FALSE(asked.empty());
  const auto job = server_.Find(kJobsPath, "lab", "primes");
  EXPECT_EQ(asked[0].server_name, "primes-coordinator");
  EXPECT_EQ(asked[0].token,
            identity::OperatorToken("the operator's key", (*job)["metadata"]["uid"]));
}

TEST_F(JobReconcilerTest, AJobThatIsCompleteIsLeftAlone) {
  PutJob("primes", kPrimes);
  Settle("primes");
  cluster::Progress progress;
  progress.epoch = 1;
  progress.state = cluster::CoordinatorState::kComplete;
  progress.tasks = {1000, 1000, 0};
  progress.fraction = 1;
  progress.result = R"({"count":25997})";
  coordinators_.Says(progress);
  RunPods();
  Settle("primes");
  ASSERT_TRUE(Polled());
  Settle("primes");
  EXPECT_EQ(Status("primes")["state"], "Complete");
  EXPECT_EQ(Status("primes")["progress"], "100%");
  EXPECT_EQ(Condition("primes", "Complete").substr(0, 4), "True");
  EXPECT_EQ(PodNames().size(), 3U) << "the coordinator serves results, workers end by themselves";
}

TEST_F(JobReconcilerTest, ACoordinatorThatRunsIsShownTasksThatWereAppended) {
  const Json command = {{"image", "example.com/tool:1"}, {"command", {"/tool"}}, {"tasks", 5}};
  PutJob("growing", {{"workload", {{"command", command}}}});
  Settle("growing");
  Json job = *server_.Find(kJobsPath, "lab", "growing");
  cluster::Progress progress;
  progress.epoch = 1;
  progress.tasks = {5, 1, 0};
  progress.workload_digest = DigestOf(cluster::ReadWeightedJob(job).spec.workload_parameters);
  coordinators_.Says(progress);
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
  cluster::Progress progress;
  progress.epoch = 1;
  progress.state = cluster::CoordinatorState::kComplete;
  progress.tasks = {1000, 1000, 0};
  progress.fraction = 1;
  progress.work = {{"pi3", 100, 8, 4}, {"pi4-a", 400, 8, 4}};
  coordinators_.Says(progress);
  RunPods();
  Settle("primes");
  ASSERT_TRUE(Polled());
  for (int look = 0; look < 3; ++look) Settle("primes");
  auto figures = history_.Show();
  EXPECT_EQ(figures.counted, 1);
  EXPECT_EQ(figures.missed, 0);
  ASSERT_EQ(figures.rows.size(), 2U);
  EXPECT_EQ(figures.rows[1].profile, "primes");
  EXPECT_EQ(figures.rows[1].done.node, "pi4-a");
  EXPECT_EQ(figures.rows[1].done.units, 400);
  EXPECT_EQ(figures.rows[1].done.busy_seconds, 8);
  // As if the status were not to be seen yet: it is written again, and nothing is counted.
  Json behind = *server_.Find(kJobsPath, "lab", "primes");
  behind.erase("status");
  server_.Put(kJobsPath, behind);
  Settle("primes");
  EXPECT_EQ(Status("primes")["state"], "Complete");
  EXPECT_EQ(history_.Show().counted, 1);
  // The next operator knows by the status that this job is done with.
  JobHistory empty;
  JobReconciler successor(JobReconciler::Parts{
      *cache_, *poller_, *events_, pacer_, empty, rates_, clock_, *tools_, {}});
  AwaitCache();
  EXPECT_FALSE(successor.Reconcile({"lab", "primes"}).failed);
  EXPECT_EQ(empty.Show().counted, 0);
  EXPECT_TRUE(empty.Show().rows.empty());
}

TEST_F(JobReconcilerTest, AJobWhoseNodesSaidNothingIsMissed) {
  PutJob("primes", kPrimes);
  Settle("primes");
  cluster::Progress progress;
  progress.state = cluster::CoordinatorState::kComplete;
  progress.tasks = {1000, 1000, 0};
  coordinators_.Says(progress);
  RunPods();
  Settle("primes");
  ASSERT_TRUE(Polled());
  Settle("primes");
  EXPECT_EQ(history_.Show().missed, 1);
  EXPECT_EQ(history_.Show().counted, 0);
}

TEST_F(JobReconcilerTest, ARefusalIsSaidInTheStatusUntilItIsLifted) {
  support::Fault quota;
  quota.filter = {"POST", "/pods", {}};
  quota.times = -1;
  quota.status = 403;
  server_.Inject(quota);
  ExpectARefusalThatIsSaid();
  server_.ClearFaults();
  Settle("primes");
  Settle("primes");
  EXPECT_EQ(PodNames().size(), 3U);
  EXPECT_EQ(Condition("primes", "Progressing").substr(0, 4), "True");
}

// Whether the server takes the status is not known yet: what failed before has not gone well.
TEST_F(JobReconcilerTest, AStatusThatWaitsForItsTurnIsUnfinishedWork) {
  StatusPacer slow{std::chrono::hours(1), 1};
  EXPECT_EQ(slow.Ask({"lab", "another"}, false, clock_.Now()), Duration::zero());
  JobReconciler reconciler(JobReconciler::Parts{
      *cache_, *poller_, *events_, slow, history_, rates_, clock_, *tools_, {}});
  PutJob("primes", kPrimes);
  AwaitCache();
  const auto waits = reconciler.Reconcile({"lab", "primes"});
  EXPECT_TRUE(waits.unfinished);
  EXPECT_FALSE(waits.failed);
  EXPECT_TRUE(waits.again.has_value());
  EXPECT_TRUE(Status("primes").is_null());
  Settle("primes");  // by the other reconciler, which need not wait
  AwaitCache();
  EXPECT_FALSE(reconciler_->Reconcile({"lab", "primes"}).unfinished);
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

TEST_F(JobReconcilerTest, SomebodyElsesPodInAPlaceOfTheJobsIsSaid) {
  server_.Put(kPodsPath,
              {{"metadata", {{"name", "primes-coordinator-1"}, {"namespace", "lab"}}},
               {"spec", {{"containers", Json::array({{{"name", "main"}, {"image", "x"}}})}}}});
  ExpectARefusalThatIsSaid();
}

TEST_F(JobReconcilerTest, ANamespaceThatEndsIsNoTrouble) {
  support::Fault ends;
  ends.filter = {"POST", "/pods", {}};
  ends.times = -1;
  const std::string body = R"({"kind":"Status","reason":"Forbidden","message":"ends","details":)"
                           R"({"causes":[{"reason":"NamespaceTerminating"}]}})";
  ends.raw_answer = "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
  server_.Inject(ends);
  PutJob("primes", kPrimes);
  AwaitCache();
  const auto end = reconciler_->Reconcile({"lab", "primes"});
  EXPECT_FALSE(end.failed) << end.trouble;
}

TEST_F(JobReconcilerTest, AJobThatIsGoneIsForgotten) {
  PutJob("primes", kPrimes);
  Settle("primes");
  server_.Erase(kJobsPath, "lab", "primes");
  ASSERT_TRUE(kube::Eventually([this] { return cache_->Job({"lab", "primes"}) == nullptr; }));
  const auto end = reconciler_->Reconcile({"lab", "primes"});
  EXPECT_FALSE(end.failed);
  EXPECT_FALSE(end.again.has_value());
}

}  // namespace
}  // namespace evenkeel::controller
