// A pod with several containers is seen by the one that is worst off.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/node_and_pod_json.h"

namespace evenkeel::cluster {
namespace {

using nlohmann::json;

PodView TwoContainers(const char* phase, const char* init, const char* command,
                      const char* worker) {
  json object = json::parse(R"({
    "metadata": {"name": "p", "labels": {"app.kubernetes.io/component": "worker"}},
    "spec": {"initContainers": [{"name": "launcher", "image": "ours:1"}],
             "containers": [{"name": "command", "image": "theirs:1"},
                            {"name": "worker", "image": "ours:1"}]}})");
  const auto status = [](const char* name, const char* text) {
    json one = json::parse(text);
    one["name"] = name;
    return one;
  };
  object["status"] = {
      {"phase", phase},
      {"initContainerStatuses", json::array({status("launcher", init)})},
      {"containerStatuses", json::array({status("command", command), status("worker", worker)})}};
  return ReadPod(object);
}

constexpr const char* kDone = R"({"state": {"terminated": {"exitCode": 0}}})";
constexpr const char* kRunning = R"({"state": {"running": {}}})";
constexpr const char* kInitializing = R"({"state": {"waiting": {"reason": "PodInitializing"}}})";
constexpr const char* kNoImage = R"({"state": {"waiting": {"reason": "ImagePullBackOff"}}})";
constexpr const char* kCrashed = R"({"restartCount": 3,
    "state": {"waiting": {"reason": "CrashLoopBackOff"}},
    "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}})";

TEST(ReadPodContainers, NamesTheImageThatIsMissing) {
  const PodView theirs = TwoContainers("Pending", kDone, kNoImage, kRunning);
  EXPECT_EQ(theirs.container, "command");
  EXPECT_EQ(theirs.image, "theirs:1");
  EXPECT_EQ(theirs.waiting_reason, "ImagePullBackOff");
  EXPECT_TRUE(theirs.has_run);
  const PodView ours = TwoContainers("Pending", kNoImage, kInitializing, kInitializing);
  EXPECT_EQ(ours.container, "launcher");
  EXPECT_EQ(ours.image, "ours:1");
  EXPECT_FALSE(ours.has_run);
}

TEST(ReadPodContainers, WhatCannotStartComesBeforeWhatKeepsEnding) {
  const PodView pod = TwoContainers("Running", kDone, kNoImage, kCrashed);
  EXPECT_EQ(pod.container, "command");
  EXPECT_EQ(pod.restarts, 0);
  EXPECT_FALSE(pod.termination.has_value());
  const PodView crashed = TwoContainers("Running", kDone, kCrashed, kRunning);
  EXPECT_EQ(crashed.container, "command");
  EXPECT_EQ(crashed.restarts, 3);
  EXPECT_EQ(crashed.termination->reason, "OOMKilled");
  EXPECT_EQ(TwoContainers("Running", kDone, kRunning, kCrashed).container, "worker");
}

TEST(ReadPodContainers, FindsEndsOfTheCommandContainer) {
  const auto ends = [](const char* command, const char* worker = kRunning) {
    std::string text;
    for (const ContainerEnd& end : TwoContainers("Running", kDone, command, worker).command_ends) {
      text += platform::FormatTimestamp(end.at) + (end.out_of_memory ? " killed " : " ended ");
    }
    return text;
  };
  constexpr const char* kRunsAgain = R"({"restartCount": 1, "state": {"running": {}}, "lastState":
      {"terminated": {"exitCode": 137, "reason": "OOMKilled",
       "finishedAt": "2026-03-01T09:31:05Z"}}})";
  constexpr const char* kTwice = R"({"restartCount": 1, "state":
      {"terminated": {"exitCode": 137, "reason": "OOMKilled",
       "finishedAt": "2026-03-01T09:40:00Z"}},
      "lastState":
      {"terminated": {"exitCode": 137, "reason": "OOMKilled",
       "finishedAt": "2026-03-01T09:31:05Z"}}})";
  constexpr const char* kThenAnError = R"({"restartCount": 1, "state":
      {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2026-03-01T09:40:00Z"}},
      "lastState":
      {"terminated": {"exitCode": 137, "reason": "OOMKilled",
       "finishedAt": "2026-03-01T09:31:05Z"}}})";
  constexpr const char* kError = R"({"restartCount": 1, "state": {"running": {}}, "lastState":
      {"terminated": {"exitCode": 137, "reason": "Error", "finishedAt": "2026-03-01T09:31:05Z"}}})";
  EXPECT_EQ(ends(kRunsAgain), "2026-03-01T09:31:05Z killed ");
  EXPECT_EQ(ends(kTwice), "2026-03-01T09:31:05Z killed 2026-03-01T09:40:00Z killed ");
  EXPECT_EQ(ends(kThenAnError), "2026-03-01T09:31:05Z killed 2026-03-01T09:40:00Z ended ");
  EXPECT_EQ(ends(kError), "2026-03-01T09:31:05Z ended ");
  EXPECT_EQ(ends(kCrashed), "") << "it is not known when";
  EXPECT_EQ(ends(kRunning, kRunsAgain), "") << "the worker's own container";
}

TEST(ReadPodContainers, AnInitContainerThatIsDoneIsForgotten) {
  const PodView pod = TwoContainers("Pending", kDone, kInitializing, kInitializing);
  EXPECT_EQ(pod.container, "command");
  EXPECT_EQ(pod.waiting_reason, "PodInitializing");
  EXPECT_FALSE(pod.has_run);
  EXPECT_FALSE(pod.termination.has_value());
}

TEST(ReadPodContainers, APodLingersWhenOneOfTheTwoHasEndedWell) {
  const char* ended =
      R"({"state": {"terminated": {"exitCode": 0, "finishedAt": "2026-03-01T09:31:05Z"}}})";
  const PodView pod = TwoContainers("Running", kDone, kRunning, ended);
  EXPECT_TRUE(pod.lingers);
  EXPECT_TRUE(pod.Ended());
  ASSERT_TRUE(pod.termination && pod.termination->finished);
  EXPECT_EQ(platform::FormatTimestamp(*pod.termination->finished), "2026-03-01T09:31:05Z");
  EXPECT_TRUE(TwoContainers("Running", kDone, kDone, kRunning).lingers);  // set by a command
  EXPECT_FALSE(TwoContainers("Running", kDone, kRunning, kRunning).lingers);
  const char* failed = R"({"state": {"terminated": {"exitCode": 1}}})";
  EXPECT_FALSE(TwoContainers("Running", kDone, kRunning, failed).lingers);  // it is started again
  EXPECT_FALSE(TwoContainers("Succeeded", kDone, ended, ended).lingers);
}

/// A coordinator's pod with the container of a reduce command.
PodView WithReduce(const char* coordinator, const char* command) {
  json object = json::parse(R"({
    "metadata": {"name": "p", "labels": {"app.kubernetes.io/component": "coordinator"}},
    "spec": {"containers": [{"name": "coordinator", "image": "ours:1"},
                            {"name": "command", "image": "theirs:1"}]}})");
  json statuses = json::array({json::parse(coordinator), json::parse(command)});
  statuses[0]["name"] = "coordinator";
  statuses[1]["name"] = "command";
  object["status"] = {{"phase", "Running"}, {"containerStatuses", statuses}};
  return ReadPod(object);
}

TEST(ReadPodContainers, ACoordinatorsPodIsNotOverWithItsReduceCommand) {
  EXPECT_FALSE(WithReduce(kRunning, kDone).lingers);
  EXPECT_FALSE(WithReduce(kDone, kRunning).lingers);  // it is started again
  // Exit code 2 of the coordinator means that the job was refused, that of a command nothing.
  const char* ended = R"({"state": {"terminated": {"exitCode": 2}}})";
  EXPECT_FALSE(WithReduce(kRunning, ended).termination.has_value());
  EXPECT_EQ(WithReduce(ended, kRunning).termination->exit_code, 2);
  EXPECT_TRUE(WithReduce(kRunning, kInitializing).has_run);
  EXPECT_FALSE(WithReduce(kInitializing, kRunning).has_run);
  EXPECT_EQ(WithReduce(kRunning, kNoImage).image, "theirs:1");
}

TEST(ReadPodContainers, ASingleContainerThatEndedDoesNotLinger) {
  const PodView pod = ReadPod(json::parse(R"({"metadata": {"name": "p"},
    "status": {"phase": "Running",
               "containerStatuses": [{"state": {"terminated": {"exitCode": 0}}}]}})"));
  EXPECT_FALSE(pod.lingers);
  EXPECT_FALSE(pod.Ended());
}

/// A worker's pod to which a mesh has added a container.
PodView WithInjected(const char* phase, const char* worker, const char* injected) {
  json object = json::parse(R"({"metadata": {"name": "p"}, "spec": {"containers": [
      {"name": "worker", "image": "ours:1"}, {"name": "istio-proxy", "image": "mesh:1"}]}})");
  json statuses = json::array({json::parse(worker), json::parse(injected)});
  statuses[0]["name"] = "worker";
  statuses[1]["name"] = "istio-proxy";
  object["status"] = {{"phase", phase}, {"containerStatuses", statuses}};
  return ReadPod(object);
}

TEST(ReadPodContainers, AnInjectedContainerDoesNotEndAPod) {
  EXPECT_FALSE(WithInjected("Running", kRunning, kDone).lingers);
  EXPECT_TRUE(WithInjected("Running", kDone, kRunning).lingers);
  // Exit code 2 of ours means that the job was refused.
  const char* ended = R"({"state": {"terminated": {"exitCode": 2}}})";
  EXPECT_FALSE(WithInjected("Running", kRunning, ended).termination.has_value());
  EXPECT_EQ(WithInjected("Running", ended, kCrashed).termination->exit_code, 2);
  EXPECT_FALSE(WithInjected("Pending", kInitializing, kRunning).has_run);
}

TEST(ReadPodContainers, AnInjectedContainerThatCrashesIsNamed) {
  const PodView pod = WithInjected("Running", kRunning, kCrashed);
  EXPECT_EQ(pod.container, "istio-proxy");
  EXPECT_EQ(pod.image, "mesh:1");
  EXPECT_TRUE(pod.is_injected);
  EXPECT_EQ(pod.restarts, 3);
  EXPECT_FALSE(WithInjected("Running", kCrashed, kRunning).is_injected);
}

TEST(ReadPodRequests, AreTheMostThatIsNeededAtAnyTime) {
  const auto requests = [](const char* spec) {
    return ReadPod({{"metadata", {{"name", "p"}}}, {"spec", json::parse(spec)}}).requests;
  };
  const char* plain = R"({"containers": [
      {"resources": {"requests": {"cpu": "100m", "memory": "10Mi"}}},
      {"resources": {"requests": {"cpu": "200m"}}}]})";
  EXPECT_EQ(requests(plain), (Resources{300, 10 << 20, 1}));
  // The first init container is larger than all that comes later in CPU, not in memory.
  const char* with_init = R"({"initContainers": [
      {"resources": {"requests": {"cpu": "1", "memory": "5Mi"}}}, {}], "containers": [
      {"resources": {"requests": {"cpu": "100m", "memory": "10Mi"}}}]})";
  EXPECT_EQ(requests(with_init), (Resources{1000, 10 << 20, 1}));
  // A sidecar goes on beside the containers, and beside the init containers after it.
  const char* with_sidecar = R"({"initContainers": [
      {"resources": {"requests": {"cpu": "400m"}}},
      {"restartPolicy": "Always", "resources": {"requests": {"cpu": "50m", "memory": "1Mi"}}},
      {"resources": {"requests": {"cpu": "380m"}}}], "containers": [
      {"resources": {"requests": {"cpu": "100m", "memory": "10Mi"}}}]})";
  EXPECT_EQ(requests(with_sidecar), (Resources{430, 11 << 20, 1}));
  const char* with_overhead = R"({"overhead": {"cpu": "20m", "memory": "2Mi"}, "containers": [
      {"resources": {"requests": {"cpu": "100m"}}}]})";
  EXPECT_EQ(requests(with_overhead), (Resources{120, 2 << 20, 1}));
  const char* whole = R"({"resources": {"requests": {"cpu": "2"}}, "containers": [
      {"resources": {"requests": {"cpu": "100m", "memory": "10Mi"}}}]})";
  EXPECT_EQ(requests(whole), (Resources{2000, 10 << 20, 1}));
}

}  // namespace
}  // namespace evenkeel::cluster
