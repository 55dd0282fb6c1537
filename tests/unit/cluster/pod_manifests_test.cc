#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cluster/names.h"
#include "cluster/node_and_pod_json.h"
#include "operator/manifests/coordinator_pod.h"
#include "operator/manifests/worker_pod.h"
#include "tests/unit/cluster/job_objects.h"

namespace evenkeel::cluster {
namespace {

using nlohmann::json;

WorkerPod OnPi4() { return {"pi4", 4.252, 5, 4, 2, "evenkeel/worker:1"}; }

CoordinatorPod FirstAttempt() {
  CoordinatorPod pod;
  pod.image = "evenkeel/worker:1";
  return pod;
}

/// Expects all settings of the restricted pod security standard, and the stricter ones of this
/// project.
void ExpectRestricted(const json& pod) {
  const json& spec = pod["spec"];
  EXPECT_EQ(spec["automountServiceAccountToken"], false);
  EXPECT_EQ(spec["enableServiceLinks"], false);
  EXPECT_EQ(spec["terminationGracePeriodSeconds"], 45);
  EXPECT_EQ(spec["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(spec["securityContext"]["runAsUser"], 65532);
  EXPECT_EQ(spec["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
  ASSERT_EQ(spec["containers"].size(), 1U);
  const json& context = spec["containers"][0]["securityContext"];
  EXPECT_EQ(context["allowPrivilegeEscalation"], false);
  EXPECT_EQ(context["readOnlyRootFilesystem"], true);
  EXPECT_EQ(context["capabilities"]["drop"], json::array({"ALL"}));
  std::set<std::string> volumes;
  for (const json& volume : spec["volumes"]) {
    EXPECT_TRUE(volumes.insert(volume["name"].get<std::string>()).second);
    EXPECT_FALSE(volume.contains("hostPath"));
  }
  for (const json& mount : spec["containers"][0]["volumeMounts"]) {
    EXPECT_TRUE(volumes.contains(mount["name"].get<std::string>())) << mount;
  }
}

json MountAt(const json& pod, const std::string& path) {
  for (const json& mount : pod["spec"]["containers"][0]["volumeMounts"]) {
    if (mount["mountPath"] == path) return mount;
  }
  return nullptr;
}

json VolumeAt(const json& pod, const std::string& path) {
  for (const json& volume : pod["spec"]["volumes"]) {
    if (volume["name"] == MountAt(pod, path)["name"]) return volume;
  }
  return nullptr;
}

TEST(WorkerPodManifest, IsBoundToItsNodeAndRestricted) {
  const json pod = WorkerPodManifest(Job(), OnPi4());
  ExpectOwned(pod);
  ExpectRestricted(pod);
  EXPECT_EQ(pod["metadata"]["labels"]["app.kubernetes.io/component"], "worker");
  EXPECT_EQ(pod["metadata"]["labels"]["evenkeel.dev/weight"], "5");
  EXPECT_EQ(pod["metadata"]["annotations"]["evenkeel.dev/ratio"], "4.252");
  EXPECT_EQ(pod["spec"]["restartPolicy"], "OnFailure");
  EXPECT_EQ(pod["spec"]["affinity"], json::parse(R"({"nodeAffinity":
    {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields":
      [{"key": "metadata.name", "operator": "In", "values": ["pi4"]}]}]}}})"));
  EXPECT_EQ(pod["spec"]["tolerations"], json::parse(R"([
    {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute",
     "tolerationSeconds": 30},
    {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute",
     "tolerationSeconds": 30}])"));
  const json& container = pod["spec"]["containers"][0];
  EXPECT_EQ(container["command"], json::array({"evenkeel-worker"}));
  EXPECT_EQ(container["args"], json::array({"--coordinator", "primes-coordinator.lab.svc:7400",
                                            "--node",        "pi4",
                                            "--workload",    "primes",
                                            "--threads",     "4",
                                            "--ratio",       "4.252",
                                            "--tls-ca",      "/etc/evenkeel/tls/ca.crt",
                                            "--tls-cert",    "/etc/evenkeel/tls/tls.crt",
                                            "--tls-key",     "/etc/evenkeel/tls/tls.key",
                                            "--peer-name",   "primes-worker",
                                            "--peer-port",   "7404"}));
  EXPECT_EQ(container["resources"],
            json::parse(R"({"requests": {"cpu": "250m", "memory": "64Mi"}})"));
  EXPECT_EQ(container["imagePullPolicy"], "IfNotPresent");
  // Its own certificate and no other worker's.
  const std::string name = WorkerPodName("primes", "pi4");
  EXPECT_EQ(VolumeAt(pod, "/etc/evenkeel/tls")["secret"],
            json({{"secretName", "primes-worker-tls"},
                  {"defaultMode", 0440},
                  {"items", json::array({{{"key", "ca.crt"}, {"path", "ca.crt"}},
                                         {{"key", name + ".crt"}, {"path", "tls.crt"}},
                                         {{"key", name + ".key"}, {"path", "tls.key"}}})}}));
  EXPECT_EQ(VolumeAt(pod, "/tmp")["emptyDir"]["sizeLimit"], "1Gi");
  EXPECT_TRUE(MountAt(pod, "/inputs").is_null());
}

TEST(WorkerPodManifest, RoundTrips) {
  const PodView pod = ReadPod(WorkerPodManifest(Job(), OnPi4()));
  EXPECT_EQ(pod.role, PodRole::kWorker);
  EXPECT_EQ(pod.job, "primes");
  EXPECT_EQ(pod.target_node, "pi4");
  EXPECT_EQ(pod.weight, 5);
  EXPECT_EQ(pod.ratio, 4.252);
  EXPECT_EQ(pod.attempt, 2);
  EXPECT_EQ(pod.image, "evenkeel/worker:1");
  EXPECT_EQ(pod.requests, RequestsOf(Job().resources));
}

TEST(WorkerPodManifest, TakesOverTheTemplate) {
  WeightedJob job = Job();
  job.worker.env = R"([{"name":"A","value":"b"}])";
  job.worker.volumes = R"([{"name":"scratch","emptyDir":{"sizeLimit":"1Gi"}}])";
  job.worker.volume_mounts = R"([{"name":"scratch","mountPath":"/tmp"}])";
  job.worker.image_pull_secrets = R"([{"name":"s"}])";
  job.worker.image_pull_policy = "Never";
  job.worker.priority_class_name = "low";
  job.worker.security_context = R"({"runAsUser":1000,"supplementalGroups":[7],"privileged":true})";
  job.tolerations = {{"k", "Equal", "v", "NoSchedule", std::nullopt}};
  job.inputs.claim = "in";
  const json pod = WorkerPodManifest(job, OnPi4());
  const json& spec = pod["spec"];
  EXPECT_EQ(spec["containers"][0]["env"], json::parse(job.worker.env));
  EXPECT_EQ(spec["containers"][0]["imagePullPolicy"], "Never");
  EXPECT_EQ(spec["imagePullSecrets"], json::parse(job.worker.image_pull_secrets));
  EXPECT_EQ(spec["priorityClassName"], "low");
  EXPECT_EQ(spec["securityContext"]["runAsUser"], 1000);
  EXPECT_EQ(spec["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(spec["securityContext"]["supplementalGroups"], json::array({7}));
  EXPECT_FALSE(spec["securityContext"].contains("privileged"));
  EXPECT_EQ(VolumeAt(pod, "/tmp")["name"], "scratch");  // no second one of ours
  EXPECT_EQ(spec["tolerations"][0], json::parse(R"({"key": "k", "operator": "Equal", "value": "v",
                                                    "effect": "NoSchedule"})"));
  EXPECT_EQ(VolumeAt(pod, "/inputs")["persistentVolumeClaim"]["claimName"], "in");
  EXPECT_EQ(MountAt(pod, "/inputs")["readOnly"], true);
}

TEST(PodManifests, HaveTheLabelsAndAnnotationsOfTheTemplateBesideTheOperatorsOwn) {
  WeightedJob job = Job();
  job.worker.labels = {{"team", "lab"}, {"app.kubernetes.io/name", "stolen"}};
  job.worker.annotations = {{"example.com/note", "a b"}, {"evenkeel.dev/attempt", "99"}};
  json coordinator = CoordinatorPodManifest(job, FirstAttempt());
  AnnotateForScrapes(coordinator);
  for (const json& pod : {WorkerPodManifest(job, OnPi4()), coordinator}) {
    ExpectOwned(pod);
    EXPECT_EQ(pod["metadata"]["labels"]["team"], "lab");
    EXPECT_EQ(pod["metadata"]["annotations"]["example.com/note"], "a b");
    EXPECT_NE(pod["metadata"]["annotations"]["evenkeel.dev/attempt"], "99");
  }
}

TEST(CoordinatorPodManifest, ServesAndKeepsItsFolderInThePod) {
  const json pod = CoordinatorPodManifest(Job(), FirstAttempt());
  ExpectOwned(pod);
  ExpectRestricted(pod);
  EXPECT_EQ(pod["metadata"]["name"], "primes-coordinator-1");
  EXPECT_EQ(pod["metadata"]["annotations"]["evenkeel.dev/attempt"], "1");
  EXPECT_EQ(pod["spec"]["restartPolicy"], "Always");
  EXPECT_EQ(pod["spec"]["tolerations"][0]["tolerationSeconds"], 120);
  const json& container = pod["spec"]["containers"][0];
  EXPECT_EQ(container["args"], json::array({"--job",
                                            "/etc/evenkeel/plan/job.json",
                                            "--nodes",
                                            "/etc/evenkeel/plan/nodes.json",
                                            "--folder",
                                            "/var/lib/evenkeel",
                                            "--listen",
                                            "0.0.0.0:7400",
                                            "--tls-ca",
                                            "/etc/evenkeel/tls/ca.crt",
                                            "--tls-cert",
                                            "/etc/evenkeel/tls/tls.crt",
                                            "--tls-key",
                                            "/etc/evenkeel/tls/tls.key",
                                            "--health-listen",
                                            "0.0.0.0:7401",
                                            "--probe-listen",
                                            "0.0.0.0:7405",
                                            "--control-listen",
                                            "0.0.0.0:7402",
                                            "--control-token-file",
                                            "/etc/evenkeel/tls/operator-token",
                                            "--pages-listen",
                                            "127.0.0.1:7403",
                                            "--namespace",
                                            "lab"}));
  for (const char* probe : {"startupProbe", "livenessProbe", "readinessProbe"}) {
    EXPECT_EQ(container[probe]["httpGet"]["port"], 7405) << probe;
  }
  EXPECT_EQ(container["resources"], json::parse(R"({"requests": {"cpu": "50m", "memory": "64Mi"},
                            "limits": {"memory": "512Mi"}})"));
  EXPECT_EQ(VolumeAt(pod, "/var/lib/evenkeel")["emptyDir"]["sizeLimit"], "2Gi");
  EXPECT_EQ(VolumeAt(pod, "/tmp")["emptyDir"]["sizeLimit"], "64Mi");
  EXPECT_EQ(VolumeAt(pod, "/etc/evenkeel/tls")["secret"]["secretName"], "primes-coordinator-tls");
  EXPECT_EQ(VolumeAt(pod, "/etc/evenkeel/plan")["configMap"]["name"], "primes-plan");
  EXPECT_EQ(ReadPod(pod).role, PodRole::kCoordinator);
}

TEST(CoordinatorPodManifest, IsAnnotatedForScrapesWhereThatIsWanted) {
  json pod = CoordinatorPodManifest(Job(), FirstAttempt());
  EXPECT_FALSE(pod["metadata"]["annotations"].contains("prometheus.io/scrape"));
  AnnotateForScrapes(pod);
  EXPECT_EQ(pod["metadata"]["annotations"],
            json::parse(R"({"evenkeel.dev/attempt": "1", "prometheus.io/scrape": "true",
                            "prometheus.io/port": "7401", "prometheus.io/path": "/metrics"})"));
}

TEST(CoordinatorPodManifest, KeepsItsFolderInAClaimThatOthersMayShare) {
  WeightedJob job = Job();
  job.result_claim = "out";
  const json pod = CoordinatorPodManifest(job, FirstAttempt());
  EXPECT_EQ(VolumeAt(pod, "/var/lib/evenkeel")["persistentVolumeClaim"]["claimName"], "out");
  EXPECT_EQ(MountAt(pod, "/var/lib/evenkeel")["subPath"], "primes-01234567");
  EXPECT_EQ(pod["spec"]["tolerations"][0]["tolerationSeconds"], 30);
}

TEST(CoordinatorPodManifest, SharesLearnedCostsInTheClaimIfTheJobWantsThem) {
  const auto has_flag = [](const json& pod) {
    const json& args = pod["spec"]["containers"][0]["args"];
    return std::find(args.begin(), args.end(), "--learned-costs") != args.end();
  };
  WeightedJob job = Job();
  job.learns_costs = true;
  const json unclaimed = CoordinatorPodManifest(job, FirstAttempt());
  EXPECT_EQ(MountAt(unclaimed, "/var/lib/evenkeel-learned"), nullptr);
  EXPECT_FALSE(has_flag(unclaimed));
  job.result_claim = "out";
  const json pod = CoordinatorPodManifest(job, FirstAttempt());
  ExpectRestricted(pod);
  const json mount = MountAt(pod, "/var/lib/evenkeel-learned");
  EXPECT_EQ(mount["name"], MountAt(pod, "/var/lib/evenkeel")["name"]);
  EXPECT_EQ(mount["subPath"], "evenkeel-learned-costs");
  EXPECT_EQ(MountAt(pod, "/var/lib/evenkeel")["subPath"], "primes-01234567");
  EXPECT_TRUE(has_flag(pod));
  job.learns_costs = false;
  EXPECT_FALSE(has_flag(CoordinatorPodManifest(job, FirstAttempt())));
}

TEST(CoordinatorPodManifest, ReadsTheFolderOfTheEarlierJobOfARerun) {
  WeightedJob job = Job();
  job.result_claim = "out";
  job.spec.rerun = model::RerunSpec{"first", {}};
  job.status.after = {{"other", "ffffffff-1"}, {"first", "89abcdef-2"}};
  const json pod = CoordinatorPodManifest(job, FirstAttempt());
  ExpectRestricted(pod);
  const json mount = MountAt(pod, "/var/lib/evenkeel-earlier");
  EXPECT_EQ(mount["name"], MountAt(pod, "/var/lib/evenkeel")["name"]);
  EXPECT_EQ(mount["subPath"], "first-89abcdef");
  EXPECT_EQ(mount["readOnly"], true);
  EXPECT_EQ(MountAt(pod, "/var/lib/evenkeel")["subPath"], "primes-01234567");
  const json& args = pod["spec"]["containers"][0]["args"];
  const auto flag = std::find(args.begin(), args.end(), "--earlier");
  ASSERT_NE(flag, args.end());
  EXPECT_EQ(*std::next(flag), "/var/lib/evenkeel-earlier");
}

TEST(CoordinatorPodManifest, GoesOnFromASnapshotAndReadsInputs) {
  WeightedJob job = Job();
  job.inputs.config_map = "files";
  CoordinatorPod request = FirstAttempt();
  request.with_snapshot = true;
  const json pod = CoordinatorPodManifest(job, request);
  const json& args = pod["spec"]["containers"][0]["args"];
  const auto value_after = [&args](const std::string& flag) -> std::string {
    for (std::size_t i = 0; i + 1 < args.size(); ++i) {
      if (args[i] == flag) return args[i + 1].get<std::string>();
    }
    return {};
  };
  EXPECT_EQ(value_after("--snapshot"), "/etc/evenkeel/snapshot/journal.db.z");
  EXPECT_EQ(value_after("--inputs"), "/inputs");
  EXPECT_EQ(VolumeAt(pod, "/etc/evenkeel/snapshot")["configMap"]["name"], "primes-snapshot");
  EXPECT_EQ(VolumeAt(pod, "/inputs")["configMap"]["name"], "files");
}

TEST(CoordinatorPodManifest, KeepsOffSlowBoardsAndWithinTheSelector) {
  WeightedJob job = Job();
  job.spec.node_selector = {{"pool", "x"}};
  CoordinatorPod request = FirstAttempt();
  request.architectures = {"amd64", "arm64"};
  request.avoided_nodes = {"pi3", "zero"};
  const json affinity = CoordinatorPodManifest(job, request)["spec"]["affinity"]["nodeAffinity"];
  EXPECT_EQ(affinity["requiredDuringSchedulingIgnoredDuringExecution"], json::parse(R"(
    {"nodeSelectorTerms": [{"matchExpressions": [
      {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
      {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64", "arm64"]},
      {"key": "pool", "operator": "In", "values": ["x"]}]}]})"));
  EXPECT_EQ(affinity["preferredDuringSchedulingIgnoredDuringExecution"], json::parse(R"(
    [{"weight": 100, "preference": {"matchFields": [
      {"key": "metadata.name", "operator": "NotIn", "values": ["pi3"]},
      {"key": "metadata.name", "operator": "NotIn", "values": ["zero"]}]}}])"));
}

TEST(CoordinatorPodManifest, KeepsWithinEachTermOfTheAffinity) {
  WeightedJob job = Job();
  job.spec.node_selector = {{"pool", "x"}};
  job.spec.node_affinity = {
      {{{{"board", model::NodeRequirement::Operator::kNotIn, {"pi3"}}}, {}},
       {{{"fast", model::NodeRequirement::Operator::kExists, {}}},
        {{"metadata.name", model::NodeRequirement::Operator::kIn, {"big"}}}}}};
  const json affinity =
      CoordinatorPodManifest(job, FirstAttempt())["spec"]["affinity"]["nodeAffinity"];
  EXPECT_EQ(affinity["requiredDuringSchedulingIgnoredDuringExecution"], json::parse(R"(
    {"nodeSelectorTerms": [
      {"matchExpressions": [
        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
        {"key": "pool", "operator": "In", "values": ["x"]},
        {"key": "board", "operator": "NotIn", "values": ["pi3"]}]},
      {"matchExpressions": [
        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
        {"key": "pool", "operator": "In", "values": ["x"]},
        {"key": "fast", "operator": "Exists"}],
       "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["big"]}]}]})"));
  // A worker is bound to a node that matches.
  EXPECT_EQ(WorkerPodManifest(job, OnPi4())["spec"]["affinity"],
            WorkerPodManifest(Job(), OnPi4())["spec"]["affinity"]);
}

}  // namespace
}  // namespace evenkeel::cluster
