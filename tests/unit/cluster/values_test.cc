#include <gtest/gtest.h>

#include "cluster/job_status.h"
#include "cluster/json_fields.h"
#include "cluster/names.h"
#include "cluster/node.h"
#include "cluster/resources.h"
#include "core/model/names.h"

namespace evenkeel::cluster {
namespace {

using std::chrono::seconds;

TEST(Names, AreThoseOfTheContract) {
  EXPECT_EQ(PlanName("primes"), "primes-plan");
  EXPECT_EQ(CoordinatorSecretName("primes"), "primes-coordinator-tls");
  EXPECT_EQ(WorkerSecretName("primes", "any-pod", 1), "primes-worker-tls");
  EXPECT_EQ(WorkerSecretNames("primes", 3),
            (std::vector<std::string>{"primes-worker-tls", "primes-worker-tls-2",
                                      "primes-worker-tls-3"}));
  EXPECT_EQ(CoordinatorName("primes"), "primes-coordinator");
  EXPECT_EQ(WorkerName("primes"), "primes-worker");
  EXPECT_EQ(SnapshotName("primes"), "primes-snapshot");
  EXPECT_EQ(CoordinatorPodName("primes", 3), "primes-coordinator-3");
  EXPECT_EQ(CoordinatorAddress("primes", "lab"), "primes-coordinator.lab.svc:7400");
  EXPECT_EQ(ClaimFolder("primes", "01234567-89ab-cdef"), "primes-01234567");
}

TEST(Names, OfWorkersEndInTheFnvHashOfTheirNode) {
  // Test vectors of the builder that defines FNV.
  EXPECT_EQ(Fnv1a(""), 0x811c9dc5U);
  EXPECT_EQ(Fnv1a("a"), 0xe40c292cU);
  EXPECT_EQ(Fnv1a("foobar"), 0xbf9cf968U);
  EXPECT_EQ(WorkerPodName("primes", "foobar"), "primes-worker-foobar-bf9cf968");
}

TEST(Names, OfWorkersSayWhichNodeAsFarAsThereIsRoom) {
  EXPECT_EQ(WorkerPodName("primes", "pi4-a.lab.example").substr(0, 20), "primes-worker-pi4-a-");
  EXPECT_NE(WorkerPodName("primes", "pi4.lab"), WorkerPodName("primes", "pi4.home"));
  for (std::size_t size = 1; size < 70; ++size) {
    const std::string name = WorkerPodName("primes", std::string(size, 'n') + "-b");
    EXPECT_LE(name.size(), 63U);
    EXPECT_EQ(name.find("--"), std::string::npos) << name;
  }
  const std::string longest(model::kMaxJobName, 'x');
  EXPECT_EQ(WorkerPodName(longest, "foobar"), longest + "-worker-bf9cf968");
  EXPECT_LE(CoordinatorName(longest).size(), 63U);
}

TEST(Tolerates, AsTheSchedulerDoes) {
  const Taint taint{"dedicated", "db", "NoSchedule"};
  EXPECT_TRUE(Tolerates({"dedicated", "Equal", "db", "NoSchedule", {}}, taint));
  EXPECT_TRUE(Tolerates({"dedicated", "", "db", "", {}}, taint));
  EXPECT_TRUE(Tolerates({"dedicated", "Exists", "", "", {}}, taint));
  EXPECT_TRUE(Tolerates({"", "Exists", "", "", {}}, taint));
  EXPECT_FALSE(Tolerates({"dedicated", "Equal", "web", "", {}}, taint));
  EXPECT_FALSE(Tolerates({"other", "Exists", "", "", {}}, taint));
  EXPECT_FALSE(Tolerates({"dedicated", "Exists", "", "NoExecute", {}}, taint));
  EXPECT_FALSE(Tolerates({"", "Equal", "db", "", {}}, taint));
  EXPECT_FALSE(Tolerates({"dedicated", "Gt", "db", "", {}}, taint));
}

TEST(Resources, DefaultsDoNotExceedLimits) {
  EXPECT_EQ(RequestsOf(WithWorkerDefaults({})), (Resources{250, 64LL << 20U, 1}));
  const auto limited = WithWorkerDefaults({{}, {{"cpu", "100m"}, {"memory", "1Gi"}}});
  EXPECT_EQ(limited.requests.at("cpu"), "100m");
  EXPECT_EQ(limited.requests.at("memory"), "64Mi");
  const auto asked = WithWorkerDefaults({{{"cpu", "2"}}, {}});
  EXPECT_EQ(RequestsOf(asked).cpu_millicores, 2000);
}

TEST(Resources, ExtendedOnesAreCountedByName) {
  const ResourceRequirements asked = WithWorkerDefaults(
      {{{"hugepages-2Mi", "64Mi"}}, {{"nvidia.com/gpu", "2"}, {"hugepages-2Mi", "64Mi"}}});
  EXPECT_EQ(asked.requests.at("nvidia.com/gpu"), "2");
  const Resources requests = RequestsOf(asked);
  EXPECT_EQ(requests.extended, (std::map<std::string, std::int64_t>{{"hugepages-2Mi", 64 << 20},
                                                                    {"nvidia.com/gpu", 2}}));
  const Resources node{4000, 1LL << 30, 110, {{"nvidia.com/gpu", 3}, {"hugepages-2Mi", 1 << 30}}};
  EXPECT_TRUE(Fits(requests, node));
  EXPECT_FALSE(Fits(requests, node - requests));
  EXPECT_EQ((node - requests).extended.at("nvidia.com/gpu"), 1);
  EXPECT_EQ(node - requests + requests, node);
  EXPECT_EQ(requests - requests, Resources{}) << "nothing of a resource is no entry";
  EXPECT_EQ(PodRequests({{requests}, {{requests, false}}, {}, {}, {}}).extended, requests.extended);
}

TEST(Resources, NothingAskedForAlwaysFits) {
  EXPECT_TRUE(Fits({}, {-5, -5, -5}));
  EXPECT_FALSE(Fits({1, 0, 0}, {0, 5, 5}));
  EXPECT_TRUE(Fits({5, 5, 5}, {5, 5, 5}));
}

TEST(Conditions, TransitionTimesStayUntilTheStatusChanges) {
  Conditions conditions;
  Set(conditions, {"Progressing", Condition::Status::kTrue, "Starting", "", 1,
                   platform::Timestamp{seconds(1)}});
  Set(conditions,
      {"Progressing", Condition::Status::kTrue, "Running", "", 2, platform::Timestamp{seconds(2)}});
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(conditions[0].reason, "Running");
  EXPECT_EQ(conditions[0].observed_generation, 2);
  EXPECT_EQ(conditions[0].last_transition, platform::Timestamp{seconds(1)});
  Set(conditions, {"Progressing", Condition::Status::kFalse, "StorageFull", "", 2,
                   platform::Timestamp{seconds(3)}});
  EXPECT_EQ(conditions[0].last_transition, platform::Timestamp{seconds(3)});
  EXPECT_FALSE(IsTrue(conditions, "Progressing"));
  EXPECT_EQ(Find(conditions, "Complete"), nullptr);
}

TEST(Shortages, AreTheResourcesOfWhichThereIsTooLittle) {
  using Names = std::vector<std::string>;
  const Resources asked{250, 64 << 20, 1, {{"example.com/camera", 2}}};
  EXPECT_EQ(FindShortages(asked, asked), Names{});
  EXPECT_EQ(FindShortages(asked, {249, 64 << 20, 1, {{"example.com/camera", 1}}}),
            (Names{"cpu", "example.com/camera"}));
  EXPECT_EQ(FindShortages(asked, {-50, 0, 0, {}}),
            (Names{"cpu", "memory", "pods", "example.com/camera"}));
  EXPECT_EQ(FindShortages({}, {-1, -1, -1, {}}), Names{}) << "nothing always fits";
}

TEST(QuantityText, IsWrittenAsKubernetesDoes) {
  EXPECT_EQ(QuantityText("cpu", 250), "250m");
  EXPECT_EQ(QuantityText("memory", (64 << 20) + 1), "64Mi");
  EXPECT_EQ(QuantityText("memory", 1000), "1000");
  EXPECT_EQ(QuantityText("example.com/camera", 3), "3");
}

}  // namespace
}  // namespace evenkeel::cluster
