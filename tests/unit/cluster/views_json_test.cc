#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/job_status_json.h"
#include "cluster/node_and_pod_json.h"
#include "cluster/weighted_job_json.h"

namespace evenkeel::cluster {
namespace {

using nlohmann::json;
using std::chrono::seconds;

TEST(ReadPod, ReadsAPodThatRuns) {
  const PodView pod = ReadPod(json::parse(R"({
    "metadata": {"name": "primes-worker-1", "uid": "u", "creationTimestamp": "2026-03-01T09:30:05Z",
      "labels": {"app.kubernetes.io/component": "worker", "evenkeel.dev/weighted-job": "primes",
                 "evenkeel.dev/weight": "5"},
      "annotations": {"evenkeel.dev/ratio": "4.252", "evenkeel.dev/node": "pi4",
                      "evenkeel.dev/attempt": "2"}},
    "spec": {"nodeName": "pi4", "containers": [
      {"image": "i:1", "resources": {"requests": {"cpu": "250m", "memory": "64Mi"}}},
      {"image": "j:1", "resources": {"requests": {"cpu": 1}}}]},
    "status": {"phase": "Running", "podIP": "10.42.0.7",
      "conditions": [{"type": "PodScheduled", "status": "True"},
                     {"type": "Ready", "status": "True"}],
      "containerStatuses": [{"name": "worker", "restartCount": 1, "state": {"running": {}},
        "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "message": "m",
                                     "finishedAt": "2026-03-01T09:31:05Z"}}}]}})"));
  EXPECT_EQ(pod.role, PodRole::kWorker);
  EXPECT_EQ(pod.job, "primes");
  EXPECT_EQ(pod.weight, 5);
  EXPECT_EQ(pod.ratio, 4.252);
  EXPECT_EQ(pod.target_node, "pi4");
  EXPECT_EQ(pod.attempt, 2);
  EXPECT_EQ(pod.node, "pi4");
  EXPECT_EQ(pod.image, "i:1");
  EXPECT_EQ(pod.requests, (Resources{1250, 64LL << 20U, 1}));
  EXPECT_EQ(pod.phase, PodPhase::kRunning);
  EXPECT_TRUE(pod.ready);
  EXPECT_TRUE(pod.has_run);
  EXPECT_EQ(pod.restarts, 1);
  ASSERT_TRUE(pod.termination.has_value());
  EXPECT_EQ(pod.termination->exit_code, 137);
  EXPECT_EQ(pod.termination->reason, "OOMKilled");
  ASSERT_TRUE(pod.termination->finished.has_value());
  EXPECT_EQ(platform::FormatTimestamp(*pod.termination->finished), "2026-03-01T09:31:05Z");
  EXPECT_FALSE(pod.unscheduled.has_value());
}

TEST(ReadPod, ReadsAPodThatDoesNot) {
  const PodView pod = ReadPod(json::parse(R"({
    "metadata": {"name": "p", "labels": {"app.kubernetes.io/component": "coordinator"},
                 "deletionTimestamp": "2026-03-01T09:30:35Z"},
    "status": {"phase": "Pending", "reason": "Evicted", "conditions": [
      {"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
       "message": "0/3 nodes", "lastTransitionTime": "2026-03-01T09:30:05Z"}],
      "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff",
                                                   "message": "back-off"}}}]}})"));
  EXPECT_EQ(pod.role, PodRole::kCoordinator);
  EXPECT_TRUE(pod.deleted.has_value());
  ASSERT_TRUE(pod.unscheduled.has_value());
  EXPECT_EQ(pod.unscheduled->message, "0/3 nodes");
  EXPECT_EQ(platform::FormatTimestamp(pod.unscheduled->since), "2026-03-01T09:30:05Z");
  EXPECT_EQ(pod.waiting_reason, "ImagePullBackOff");
  EXPECT_EQ(pod.waiting_message, "back-off");
  EXPECT_EQ(pod.reason, "Evicted");
  EXPECT_FALSE(pod.has_run);
  EXPECT_EQ(pod.attempt, 1);
  EXPECT_EQ(pod.ratio, 1.0);
}

TEST(ReadPod, InvalidPodsAreIgnored) {
  for (const char* text : {"null", "[]", R"({"metadata": [], "spec": 1, "status": "x"})",
                           R"({"metadata": {"labels": {"evenkeel.dev/weight": "1e99"},
                         "annotations": {"evenkeel.dev/attempt": "-4",
                                         "evenkeel.dev/ratio": "nan"}},
            "spec": {"containers": [null, {"resources": {"requests": {"cpu": "lots"}}}]},
            "status": {"containerStatuses": [{"restartCount": 99999999999, "state": {"terminated":
                       {"exitCode": 99999999999}}}]}})"}) {
    const PodView pod = ReadPod(json::parse(text));
    EXPECT_EQ(pod.attempt, 1) << text;
    EXPECT_EQ(pod.ratio, 1.0) << text;
    EXPECT_EQ(pod.weight, 1) << text;
  }
}

TEST(ReadNode, ReadsANode) {
  const NodeView node = ReadNode(json::parse(R"({
    "metadata": {"name": "pi4", "labels": {"kubernetes.io/arch": "arm64"},
                 "annotations": {"evenkeel.dev/emulated-speed": "0.4", "other": "x"}},
    "spec": {"unschedulable": true,
             "taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]},
    "status": {"capacity": {"cpu": "4", "memory": "2Gi"},
      "allocatable": {"cpu": "3800m", "memory": "1Gi", "pods": "110", "ephemeral-storage": "9Gi",
                      "nvidia.com/gpu": "2", "hugepages-2Mi": "0"},
      "conditions": [{"type": "MemoryPressure", "status": "False"},
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-03-01T09:30:05Z"}],
      "nodeInfo": {"architecture": "arm64", "operatingSystem": "linux", "osImage": "Debian"}}})"));
  EXPECT_EQ(node.Name(), "pi4");
  EXPECT_EQ(node.profile.cpu_millicores, 4000);
  EXPECT_EQ(node.profile.memory_bytes, 2LL << 30U);
  EXPECT_EQ(node.profile.architecture, "arm64");
  EXPECT_EQ(node.profile.annotations.size(), 1U);
  EXPECT_EQ(node.operating_system, "linux");
  EXPECT_EQ(node.taints, (std::vector<Taint>{{"k", "v", "NoSchedule"}}));
  EXPECT_TRUE(node.unschedulable);
  EXPECT_TRUE(node.ready);
  EXPECT_TRUE(node.ready_changed.has_value());
  EXPECT_EQ(node.allocatable, (Resources{3800, 1LL << 30U, 110, {{"nvidia.com/gpu", 2}}}));
  EXPECT_FALSE(ReadNode(json::parse(R"({"status": {"conditions": [
    {"type": "Ready", "status": "Unknown"}]}})"))
                   .ready);
  EXPECT_FALSE(ReadNode(json()).ready);
}

TEST(ReadWeightingPolicy, ReadsOneOrSaysWhatIsWrong) {
  const json good = json::parse(R"({"metadata": {"name": "mine", "uid": "u", "future": 1},
    "spec": {"criteria": [{"name": "ram", "labels": ["hardware.evenkeel.dev/ram-mib"],
                           "kind": "Numeric", "exponent": 1}]}})");
  const PolicyView view = ReadWeightingPolicy(good);
  EXPECT_EQ(view.meta.name, "mine");
  EXPECT_EQ(view.meta.uid, "u");
  EXPECT_TRUE(view.conditions.empty());
  EXPECT_EQ(view.invalid, "");
  EXPECT_EQ(view.policy.criteria.size(), 1U);
  json bad = good;
  bad["spec"]["criteria"][0]["exponent"] = 0;
  EXPECT_EQ(ReadWeightingPolicy(bad).invalid,
            "spec.criteria[0].exponent: must be a number above 0, at most 10, is 0");
  EXPECT_NE(ReadWeightingPolicy(json()).invalid, "");
}

TEST(StatusJson, IsReadAsItWasWritten) {
  JobStatus status;
  status.observed_generation = 4;
  status.state = "Progressing";
  status.tasks = {768, 10, 1};
  status.progress = "63%";
  status.failed_indexes = "3,7-9";
  status.start_time = platform::Timestamp{seconds(1'800'000'000)};
  status.completion_time = platform::Timestamp{seconds(1'800'000'001)};
  status.estimated_completion_time = platform::Timestamp{seconds(1'800'000'002)};
  status.active_workers = 2;
  status.workers = {{"a", 5, 384, 4, 1, "Running", "Fuzzy"}, {"b", 1, 0, 0, 0, "Lost", "Fuzzy"}};
  status.after = {{"extract", "u-1"}, {"load", "u-2"}};
  status.result = {R"({"count":25997})", "here"};
  status.conditions = {{"Progressing", Condition::Status::kTrue, "Running", "m", 4,
                        platform::Timestamp{seconds(1'800'000'000)}},
                       {"Suspended", Condition::Status::kFalse, "Resumed", "", 4,
                        platform::Timestamp{seconds(1'800'000'000)}}};
  const json written = StatusJson(status);
  EXPECT_EQ(ReadStatus(json::parse(written.dump())), status);
  EXPECT_EQ(written["startTime"], "2027-01-15T08:00:00Z");
  EXPECT_EQ(written["conditions"][0]["status"], "True");
  EXPECT_EQ(written["workers"][0]["weightSource"], "Fuzzy");

  const JobStatus empty;
  EXPECT_EQ(ReadStatus(StatusJson(empty)), empty);
  EXPECT_FALSE(StatusJson(empty).contains("workers"));
  EXPECT_FALSE(StatusJson(empty).contains("after"));
  EXPECT_FALSE(StatusJson(empty).contains("startTime"));
}

TEST(StatusJson, KeepsTimesAfter2038) {
  JobStatus status;
  status.start_time = platform::Timestamp{seconds(2'214'129'600)};
  const json written = StatusJson(status);
  EXPECT_EQ(written["startTime"], "2040-02-29T12:00:00Z");
  EXPECT_EQ(ReadStatus(json::parse(written.dump())).start_time, status.start_time);
}

}  // namespace
}  // namespace evenkeel::cluster
