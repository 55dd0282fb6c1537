// The worker pod of a job that names an image: its tasks run there, beside our worker.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cluster/node_and_pod_json.h"
#include "cluster/worker_size.h"
#include "operator/manifests/coordinator_pod.h"
#include "operator/manifests/worker_pod.h"
#include "tests/unit/cluster/job_objects.h"

namespace evenkeel::cluster {
namespace {

using nlohmann::json;
using Paths = std::vector<std::string>;

WeightedJob CommandJob() {
  WeightedJob job = Job();
  job.spec.workload = "command";
  job.task_image = "example.com/tool:1";
  job.resources = WithWorkerDefaults({{{"cpu", "2"}}, {{"memory", "1Gi"}}});
  job.worker.env = R"([{"name":"A","value":"b"}])";
  job.worker.volumes = R"([{"name":"data","emptyDir":{}}])";
  job.worker.volume_mounts = R"([{"name":"data","mountPath":"/data"}])";
  job.inputs.config_map = "files";
  return job;
}

json PodOf(const WeightedJob& job) {
  return WorkerPodManifest(job, {"pi4", 4.252, 5, 4, 1, "evenkeel/worker:1"});
}

json Container(const json& pod, const std::string& name) {
  for (const char* list : {"initContainers", "containers"}) {
    for (const json& one : pod["spec"][list]) {
      if (one["name"] == name) return one;
    }
  }
  return nullptr;
}

/// From path to the volume mounted there, with "readOnly" of the mount in it.
std::map<std::string, json> Mounts(const json& pod, const std::string& container) {
  std::map<std::string, json> mounts;
  const json mounted = Container(pod, container)["volumeMounts"];
  for (const json& mount : mounted) {
    for (const json& volume : pod["spec"]["volumes"]) {
      if (volume["name"] != mount["name"]) continue;
      json& found = mounts[mount["mountPath"].get<std::string>()];
      EXPECT_TRUE(found.is_null()) << mount;
      found = volume;
      found["readOnly"] = mount.value("readOnly", false);
    }
  }
  EXPECT_EQ(mounts.size(), mounted.size()) << container;
  return mounts;
}

Paths PathsOf(const std::map<std::string, json>& mounts) {
  Paths paths;
  for (const auto& [path, volume] : mounts) paths.push_back(path);
  return paths;
}

TEST(CommandPod, RunsTheLauncherInTheImageOfTheJob) {
  const json pod = PodOf(CommandJob());
  const json command = Container(pod, "command");
  EXPECT_EQ(command["image"], "example.com/tool:1");
  EXPECT_EQ(command["command"], json::array({"/evenkeel/bin/evenkeel-launcher"}));
  EXPECT_EQ(command["args"], json::array({"serve", "/evenkeel/run/launcher.sock"}));
  EXPECT_EQ(command["env"], json::parse(R"([{"name":"A","value":"b"}])"));
  EXPECT_EQ(command["resources"], json::parse(R"({"requests": {"cpu": "2", "memory": "64Mi"},
                                                  "limits": {"memory": "1Gi"}})"));
  const json installer = Container(pod, "launcher");
  EXPECT_EQ(installer["image"], "evenkeel/worker:1");
  EXPECT_EQ(installer["command"], json::array({"evenkeel-launcher"}));
  EXPECT_EQ(installer["args"], json::array({"install", "/evenkeel/bin"}));
  const json worker = Container(pod, "worker");
  EXPECT_EQ(worker["image"], "evenkeel/worker:1");
  EXPECT_FALSE(worker.contains("env"));
  EXPECT_EQ(worker["resources"]["limits"], json::parse(R"({"memory": "512Mi"})"));
  const json& args = worker["args"];
  EXPECT_EQ(args[args.size() - 2], "--launcher-socket");
  EXPECT_EQ(args[args.size() - 1], "/evenkeel/run/launcher.sock");
  EXPECT_EQ(pod["spec"]["restartPolicy"], "OnFailure");
  EXPECT_EQ(pod["spec"]["containers"][0]["name"], "command");  // its image may take long to come
  EXPECT_EQ(pod["metadata"]["annotations"]["kubectl.kubernetes.io/default-container"], "worker");
}

WeightedJob ReduceJob() {
  WeightedJob job = CommandJob();
  job.has_reduce = true;
  job.resources.limits["cpu"] = "2";
  job.resources.limits["nvidia.com/gpu"] = "1";
  return job;
}

TEST(ReducePod, IsTheCoordinatorsWithTheContainerOfAWorker) {
  const json pod = CoordinatorPodManifest(ReduceJob(), {1, "evenkeel/worker:1", false, {}, {}});
  const json command = Container(pod, "command");
  const json of_worker = Container(PodOf(ReduceJob()), "command");
  for (const char* field : {"image", "command", "args", "env", "securityContext"}) {
    EXPECT_EQ(command[field], of_worker[field]) << field;
  }
  EXPECT_EQ(pod["spec"]["containers"][0]["name"], "coordinator");  // it starts first
  EXPECT_EQ(Container(pod, "launcher")["args"], json::array({"install", "/evenkeel/bin"}));
  // Nothing is reserved while the workers run, and extended resources cannot be shared.
  EXPECT_EQ(command["resources"], json::parse(R"({"requests": {"cpu": "0", "memory": "0"},
                                                  "limits": {"cpu": "2", "memory": "1Gi"}})"));
  const json coordinator = Container(pod, "coordinator");
  const json& args = coordinator["args"];
  EXPECT_EQ(args[args.size() - 2], "--launcher-socket");
  EXPECT_EQ(args[args.size() - 1], "/evenkeel/run/launcher.sock");
  EXPECT_EQ(coordinator["securityContext"]["runAsUser"], 65532);
  EXPECT_FALSE(pod["spec"]["securityContext"].contains("runAsUser"));  // that of the image
  EXPECT_EQ(pod["spec"]["restartPolicy"], "Always");
}

TEST(ReducePod, TheCommandReadsTheFolderOfTheJobAndWritesToItsOwn) {
  WeightedJob job = ReduceJob();
  const auto command = [&job](const char* path) {
    const json pod = CoordinatorPodManifest(job, {1, "evenkeel/worker:1", false, {}, {}});
    const json container = Container(pod, "command");
    for (const json& mount : container["volumeMounts"]) {
      if (mount["mountPath"] == path) return mount;
    }
    return json();
  };
  const json pod = CoordinatorPodManifest(job, {1, "evenkeel/worker:1", false, {}, {}});
  const auto mounts = Mounts(pod, "command");
  EXPECT_EQ(PathsOf(mounts), (Paths{"/data", "/evenkeel/bin", "/evenkeel/run", "/inputs", "/tmp",
                                    "/var/lib/evenkeel", "/var/lib/evenkeel/reduce"}));
  for (const auto& [path, volume] : mounts) EXPECT_FALSE(volume.contains("secret")) << path;
  EXPECT_EQ(command("/var/lib/evenkeel")["readOnly"], true);
  EXPECT_FALSE(command("/var/lib/evenkeel").contains("subPath"));
  EXPECT_EQ(command("/var/lib/evenkeel/reduce")["subPath"], "reduce");
  EXPECT_EQ(mounts.at("/inputs")["name"], Mounts(pod, "coordinator").at("/inputs")["name"]);
  job.result_claim = "out";
  EXPECT_EQ(command("/var/lib/evenkeel")["subPath"], "primes-01234567");
  EXPECT_EQ(command("/var/lib/evenkeel/reduce")["subPath"], "primes-01234567/reduce");
}

TEST(ReducePod, JobsWithoutAReduceCommandHaveNone) {
  const json pod = CoordinatorPodManifest(CommandJob(), {1, "evenkeel/worker:1", false, {}, {}});
  EXPECT_EQ(pod["spec"]["containers"].size(), 1U);
  EXPECT_FALSE(pod["spec"].contains("initContainers"));
}

TEST(CommandPod, KeepsCredentialsFromTheCommand) {
  const json pod = PodOf(CommandJob());
  EXPECT_EQ(pod["spec"]["automountServiceAccountToken"], false);
  const auto command = Mounts(pod, "command");
  EXPECT_EQ(PathsOf(command),
            (Paths{"/data", "/evenkeel/bin", "/evenkeel/run", "/inputs", "/tmp"}));
  for (const auto& [path, volume] : command) EXPECT_FALSE(volume.contains("secret")) << path;
  EXPECT_EQ(command.at("/evenkeel/bin")["readOnly"], true);
  EXPECT_EQ(command.at("/inputs")["readOnly"], true);
  EXPECT_EQ(command.at("/evenkeel/run")["emptyDir"]["sizeLimit"], "1Mi");
  const auto worker = Mounts(pod, "worker");
  EXPECT_EQ(PathsOf(worker), (Paths{"/etc/evenkeel/tls", "/evenkeel/run", "/tmp"}));
  EXPECT_EQ(worker.at("/evenkeel/run")["name"], command.at("/evenkeel/run")["name"]);
  EXPECT_NE(worker.at("/tmp")["name"], command.at("/tmp")["name"]);
  const auto installer = Mounts(pod, "launcher");
  EXPECT_EQ(PathsOf(installer), Paths{"/evenkeel/bin"});
  EXPECT_EQ(installer.at("/evenkeel/bin")["readOnly"], false);
}

TEST(CommandPod, TheWorkerBringsTheFilesOfTasksToTheCommand) {
  WeightedJob job = CommandJob();
  job.has_files = true;
  job.spec.file_storage_bytes = 2 << 20;
  const json pod = PodOf(job);
  const auto command = Mounts(pod, "command");
  EXPECT_EQ(PathsOf(command),
            (Paths{"/data", "/evenkeel/bin", "/evenkeel/files/tasks", "/evenkeel/run", "/tmp"}))
      << "no node but the coordinator's has to mount the inputs";
  const auto worker = Mounts(pod, "worker");
  EXPECT_EQ(PathsOf(worker),
            (Paths{"/etc/evenkeel/tls", "/evenkeel/files", "/evenkeel/run", "/tmp"}));
  // One volume, so that inputs can be links; of which the command sees the directories of tasks.
  const json& volume = worker.at("/evenkeel/files");
  EXPECT_EQ(volume["name"], command.at("/evenkeel/files/tasks")["name"]);
  EXPECT_EQ(volume["emptyDir"]["sizeLimit"], "2097152");
  const json mounts = Container(pod, "command")["volumeMounts"];
  for (const json& mount : mounts) {
    const bool of_tasks = mount["mountPath"] == "/evenkeel/files/tasks";
    EXPECT_EQ(mount.value("subPath", ""), of_tasks ? "tasks" : "") << mount;
  }
  const json args = Container(pod, "worker")["args"];
  const auto value = [&args](const std::string& flag) {
    const auto found = std::find(args.begin(), args.end(), flag);
    return found == args.end() ? "" : (found + 1)->get<std::string>();
  };
  EXPECT_EQ(value("--file-cache"), "/evenkeel/files/cache");
  EXPECT_EQ(value("--file-cache-bytes"), "1048576");
  EXPECT_EQ(value("--persistent-file-cache"), "");
  EXPECT_EQ(value("--task-folder"), "/evenkeel/files/tasks");
  EXPECT_EQ(value("--peer-port"), "7404");
  EXPECT_EQ(value("--peer-name"), "primes-worker");
  // Else Kubernetes would make the folder of the directories, for anyone to change.
  EXPECT_EQ(Container(pod, "launcher")["args"],
            json::array({"install", "/evenkeel/bin", "/evenkeel/files/tasks"}));
  EXPECT_EQ(PathsOf(Mounts(pod, "launcher")), (Paths{"/evenkeel/bin", "/evenkeel/files"}));
}

TEST(CommandPod, TheWorkerAloneHasTheClaimForTheCacheOfItsNode) {
  WeightedJob job = CommandJob();
  job.spec.file_cache_claim = "files-{node}";
  const auto claims = [](const json& pod) {
    std::vector<std::string> names;
    for (const json& volume : pod["spec"]["volumes"]) {
      if (!volume.contains("persistentVolumeClaim")) continue;
      names.push_back(volume["persistentVolumeClaim"]["claimName"]);
    }
    return names;
  };
  EXPECT_EQ(claims(PodOf(job)), Paths{}) << "its tasks have no files";
  job.has_files = true;
  const json pod = PodOf(job);
  EXPECT_EQ(claims(pod), Paths{"files-pi4"});
  const auto worker = Mounts(pod, "worker");
  EXPECT_EQ(worker.at("/evenkeel/file-cache")["persistentVolumeClaim"]["claimName"], "files-pi4");
  EXPECT_EQ(worker.at("/evenkeel/file-cache")["readOnly"], false);
  EXPECT_TRUE(worker.at("/evenkeel/files").contains("emptyDir"));
  for (const char* other : {"command", "launcher"}) {
    EXPECT_FALSE(Mounts(pod, other).contains("/evenkeel/file-cache")) << other;
  }
  const json args = Container(pod, "worker")["args"];
  const auto found = std::find(args.begin(), args.end(), "--persistent-file-cache");
  ASSERT_NE(found, args.end());
  EXPECT_EQ(*(found + 1), "/evenkeel/file-cache/evenkeel-file-cache");
  job.spec.file_cache_claim = "shared";
  EXPECT_EQ(claims(PodOf(job)), Paths{"shared"});
  EXPECT_EQ(claims(CoordinatorPodManifest(job, {1, "evenkeel/worker:1", false, {}, {}})), Paths{});
}

TEST(ReducePod, HasTheInputsAndNoDirectoriesOfTasks) {
  WeightedJob job = ReduceJob();
  job.has_files = true;
  const json pod = CoordinatorPodManifest(job, {1, "evenkeel/worker:1", false, {}, {}});
  const auto command = Mounts(pod, "command");
  EXPECT_TRUE(command.contains("/inputs"));
  EXPECT_FALSE(command.contains("/evenkeel/files/tasks"));
  EXPECT_EQ(PathsOf(Mounts(pod, "launcher")), (Paths{"/evenkeel/bin"}));
}

TEST(CommandPod, IsRestrictedAndRunsAsTheUserOfTheImage) {
  const json pod = PodOf(CommandJob());
  const json& context = pod["spec"]["securityContext"];
  EXPECT_EQ(context["runAsNonRoot"], true);
  EXPECT_EQ(context["seccompProfile"]["type"], "RuntimeDefault");
  EXPECT_EQ(context["fsGroup"], 65532);
  EXPECT_FALSE(context.contains("runAsUser"));
  EXPECT_FALSE(context.contains("runAsGroup"));
  for (const std::string name : {"command", "worker", "launcher"}) {
    const json own = Container(pod, name)["securityContext"];
    EXPECT_EQ(own["allowPrivilegeEscalation"], false) << name;
    EXPECT_EQ(own["capabilities"]["drop"], json::array({"ALL"})) << name;
    const bool ours = name != "command";
    EXPECT_EQ(own.contains("readOnlyRootFilesystem"), ours) << name;
    EXPECT_EQ(own.value("runAsUser", 0), ours ? 65532 : 0) << name;
  }
}

TEST(CommandPod, TakesOverTheTemplate) {
  WeightedJob job = CommandJob();
  job.worker.security_context = R"({"runAsUser":1000,"runAsGroup":1001})";
  job.worker.image_pull_policy = "Always";
  job.worker.image_pull_secrets = R"([{"name":"s"}])";
  job.worker.volume_mounts = R"([{"name":"data","mountPath":"/tmp"}])";
  const json pod = PodOf(job);
  EXPECT_EQ(pod["spec"]["securityContext"]["runAsUser"], 1000);
  EXPECT_EQ(pod["spec"]["securityContext"]["runAsGroup"], 1001);
  EXPECT_EQ(Container(pod, "worker")["securityContext"]["runAsUser"], 65532);
  EXPECT_EQ(Container(pod, "command")["imagePullPolicy"], "Always");
  EXPECT_EQ(pod["spec"]["imagePullSecrets"], json::parse(job.worker.image_pull_secrets));
  EXPECT_EQ(Mounts(pod, "command").at("/tmp")["name"], "data");  // no second one of ours
}

TEST(CommandPod, AsksForRoomForBothContainers) {
  const WeightedJob job = CommandJob();
  EXPECT_EQ(ReadPod(PodOf(job)).requests, WorkerRequests(job));
  EXPECT_EQ(WorkerRequests(job), (Resources{2020, 96LL << 20U, 1}));
  EXPECT_EQ(WorkerRequests(Job()), RequestsOf(Job().resources));
}

TEST(CommandPod, ExtendedResourcesAreThoseOfTheCommandAlone) {
  WeightedJob job = CommandJob();
  job.resources = WithWorkerDefaults({{}, {{"nvidia.com/gpu", "1"}}});
  const json pod = PodOf(job);
  EXPECT_EQ(Container(pod, "command")["resources"]["requests"]["nvidia.com/gpu"], "1");
  EXPECT_EQ(Container(pod, "command")["resources"]["limits"]["nvidia.com/gpu"], "1");
  EXPECT_FALSE(Container(pod, "worker")["resources"]["limits"].contains("nvidia.com/gpu"));
  EXPECT_EQ(ReadPod(pod).requests, WorkerRequests(job));
  EXPECT_EQ(WorkerRequests(job).extended.at("nvidia.com/gpu"), 1);
}

TEST(CommandPod, RequestsWhatItsTasksNeedTogether) {
  WeightedJob job = CommandJob();
  job.spec.environment = {{"OMP_NUM_THREADS", "1"}};
  job.worker.env = R"([{"name":"OMP_NUM_THREADS","value":"1"}])";
  job.resources = WithWorkerDefaults({});
  job.spec.task_resources = {1500, std::int64_t{1} << 30, {{"nvidia.com/gpu", 1}}};
  NodeView node;
  node.allocatable = {4000, std::int64_t{8} << 30, 110, {{"nvidia.com/gpu", 4}}};
  const WorkerSize size = SizeOf(job, node, {});
  WorkerPod request{"pi4", 4.252, 5, size.threads, 1, "evenkeel/worker:1"};
  request.resources = size.resources;
  const json pod = WorkerPodManifest(job, request);
  EXPECT_EQ(size.threads, 2);
  // The container that passes on has 20m of the CPU, and memory of its own.
  EXPECT_EQ(ReadPod(pod).requests,
            (Resources{3000, (std::int64_t{2} << 30) + (32 << 20), 1, {{"nvidia.com/gpu", 2}}}));
  const json limits = Container(pod, "command")["resources"]["limits"];
  EXPECT_EQ(limits, json::parse(R"({"memory": "2214592512", "nvidia.com/gpu": "2"})"));
  const json env = Container(pod, "command")["env"];
  EXPECT_EQ(env[0], json::parse(R"({"name": "OPENBLAS_NUM_THREADS", "value": "1"})"));
  EXPECT_EQ(env.back(), json::parse(R"({"name": "OMP_NUM_THREADS", "value": "1"})"));
  EXPECT_EQ(Container(pod, "worker").count("env"), 0U);
}

TEST(CommandPod, LeavesTheCoordinatorAlone) {
  CoordinatorPod request;
  request.image = "evenkeel/worker:1";
  const json pod = CoordinatorPodManifest(CommandJob(), request);
  EXPECT_FALSE(pod["spec"].contains("initContainers"));
  ASSERT_EQ(pod["spec"]["containers"].size(), 1U);
  EXPECT_EQ(pod["spec"]["containers"][0]["image"], "evenkeel/worker:1");
  EXPECT_EQ(pod["spec"]["securityContext"]["runAsUser"], 65532);
}

}  // namespace
}  // namespace evenkeel::cluster
