#include "cluster/node_and_pod_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/json_fields.h"
#include "cluster/names.h"
#include "cluster/weighted_job_json.h"
#include "core/model/decimal.h"
#include "core/model/quantity.h"

namespace evenkeel::cluster {
namespace {

using nlohmann::json;

const std::string kOwnAnnotations = "evenkeel.dev/";

std::optional<std::int64_t> QuantityIn(const std::map<std::string, std::string>& quantities,
                                       const std::string& resource, double scale) {
  const auto found = quantities.find(resource);
  if (found == quantities.end()) return std::nullopt;
  return model::ParseQuantity(found->second, scale);
}

model::NodeProfile ReadProfile(const json& metadata, const json& status) {
  model::NodeProfile profile;
  profile.name = Text(metadata, "name");
  profile.labels = Texts(metadata, "labels");
  for (auto& [key, value] : Texts(metadata, "annotations")) {
    if (key.starts_with(kOwnAnnotations)) profile.annotations[key] = value;
  }
  const json& info = Child(status, "nodeInfo");
  profile.architecture = Text(info, "architecture");
  profile.os_image = Text(info, "osImage");
  const auto capacity = Quantities(status, "capacity");
  profile.cpu_millicores = QuantityIn(capacity, "cpu", 1000);
  profile.memory_bytes = QuantityIn(capacity, "memory", 1);
  profile.ephemeral_storage_bytes = QuantityIn(capacity, "ephemeral-storage", 1);
  return profile;
}

}  // namespace

NodeView ReadNode(const json& object) {
  const json& spec = Child(object, "spec");
  const json& status = Child(object, "status");
  NodeView node;
  node.profile = ReadProfile(Child(object, "metadata"), status);
  node.operating_system = Text(Child(status, "nodeInfo"), "operatingSystem");
  node.unschedulable = Flag(spec, "unschedulable");
  for (const json& taint : Items(spec, "taints")) {
    node.taints.push_back({Text(taint, "key"), Text(taint, "value"), Text(taint, "effect")});
  }
  for (const json& one : Items(status, "conditions")) {
    if (Text(one, "type") != "Ready") continue;
    node.ready = Text(one, "status") == "True";
    node.ready_changed = Time(one, "lastTransitionTime");
  }
  const auto allocatable = Quantities(status, "allocatable");
  node.allocatable = {QuantityIn(allocatable, "cpu", 1000).value_or(0),
                      QuantityIn(allocatable, "memory", 1).value_or(0),
                      QuantityIn(allocatable, "pods", 1).value_or(0),
                      ExtendedResources(allocatable)};
  return node;
}

namespace {

using nlohmann::json;

constexpr std::int64_t kMaxCount = 1'000'000'000;

PodPhase PhaseOf(const std::string& text) {
  if (text == "Pending") return PodPhase::kPending;
  if (text == "Running") return PodPhase::kRunning;
  if (text == "Succeeded") return PodPhase::kSucceeded;
  return text == "Failed" ? PodPhase::kFailed : PodPhase::kUnknown;
}

PodRole RoleOf(const std::string& component_label) {
  if (component_label == component::kCoordinator) return PodRole::kCoordinator;
  return component_label == component::kWorker ? PodRole::kWorker : PodRole::kOther;
}

void ReadMarks(const json& metadata, PodView& pod) {
  const auto labels = Texts(metadata, "labels");
  pod.role = RoleOf(At(labels, label::kComponent));
  pod.job = At(labels, label::kJob);
  pod.weight = IntegerIn(At(labels, label::kWeight), 1, kMaxCount, 1);

  const auto annotations = Texts(metadata, "annotations");
  pod.attempt = IntegerIn(At(annotations, annotation::kAttempt), 1, kMaxCount, 1);
  pod.target_node = At(annotations, annotation::kNode);
  const auto ratio = model::ParseDecimal(At(annotations, annotation::kRatio));
  if (ratio && *ratio > 0) pod.ratio = *ratio;
}

std::string ControllerOf(const json& metadata) {
  for (const json& owner : Items(metadata, "ownerReferences")) {
    const json& controls = Child(owner, "controller");
    if (controls.is_boolean() && controls.get<bool>()) return Text(owner, "uid");
  }
  return {};
}

Resources ReadRequests(const json& container) {
  return RequestsOf({Quantities(Child(container, "resources"), "requests"), {}});
}

void ReadSpec(const json& spec, PodView& pod) {
  pod.node = Text(spec, "nodeName");
  PodRequestParts parts;
  for (const json& container : Items(spec, "containers")) {
    if (pod.image.empty()) pod.image = Text(container, "image");
    parts.containers.push_back(ReadRequests(container));
  }
  for (const json& container : Items(spec, "initContainers")) {
    parts.init_containers.push_back(
        {ReadRequests(container), Text(container, "restartPolicy") == "Always"});
  }
  const auto whole = Quantities(Child(spec, "resources"), "requests");
  parts.pod_cpu_millicores = QuantityIn(whole, "cpu", 1000);
  parts.pod_memory_bytes = QuantityIn(whole, "memory", 1);
  parts.overhead = RequestsOf({Quantities(spec, "overhead"), {}});
  pod.requests = PodRequests(parts);
}

void ReadConditions(const json& status, PodView& pod) {
  for (const json& one : Items(status, "conditions")) {
    const std::string type = Text(one, "type");
    const std::string value = Text(one, "status");
    if (type == "Ready") {
      pod.ready = value == "True";
      if (pod.ready) pod.ready_since = Time(one, "lastTransitionTime");
    }
    if (type == "Initialized" && value == "True") pod.initialized = Time(one, "lastTransitionTime");
    if (type == "PodScheduled" && value == "False") {
      pod.unscheduled = SchedulingTrouble{Text(one, "reason"), Text(one, "message"),
                                          Time(one, "lastTransitionTime").value_or(pod.created)};
    }
  }
}

/// How a container is, as its status says it.
struct ContainerState {
  std::string name;
  std::string waiting_reason;
  std::string waiting_message;
  std::optional<Termination> termination;
  std::int32_t restarts = 0;
  bool ended = false;  ///< and waits for nothing
  bool has_run = false;
};

void ReadTermination(const json& state, ContainerState& container) {
  const json& ended = Child(state, "terminated");
  if (!ended.is_object()) return;
  constexpr std::int64_t kAny = std::numeric_limits<std::int32_t>::max();
  container.has_run = true;
  container.termination =
      Termination{static_cast<std::int32_t>(std::clamp(Integer(ended, "exitCode"), -kAny, kAny)),
                  Text(ended, "reason"), Text(ended, "message"), Time(ended, "finishedAt")};
}

ContainerState ReadContainer(const json& status) {
  ContainerState container;
  const json& state = Child(status, "state");
  const json& waiting = Child(state, "waiting");
  container.name = Text(status, "name");
  container.waiting_reason = Text(waiting, "reason");
  container.waiting_message = Text(waiting, "message");
  ReadTermination(Child(status, "lastState"), container);
  ReadTermination(state, container);
  container.ended = Child(state, "terminated").is_object();
  const auto restarts = std::clamp<std::int64_t>(Integer(status, "restartCount"), 0, kMaxCount);
  container.restarts = static_cast<std::int32_t>(restarts);
  if (restarts > 0 || Child(state, "running").is_object()) container.has_run = true;
  return container;
}

/// A container waits for those before it, and for init containers, with these reasons.
bool WaitsForOthers(const std::string& reason) {
  return reason.empty() || reason == "PodInitializing" || reason == "ContainerCreating";
}

/// Orders containers by severity: those that cannot start, then those that keep ending.
bool WorseOff(const ContainerState& a, const ContainerState& b) {
  const auto rank = [](const ContainerState& one) {
    return std::tuple(!WaitsForOthers(one.waiting_reason) && !one.has_run,
                      !WaitsForOthers(one.waiting_reason), one.restarts,
                      !one.waiting_reason.empty());
  };
  return rank(a) > rank(b);
}

/// Init containers matter as long as they are not done.
std::vector<ContainerState> ReadContainers(const json& status) {
  std::vector<ContainerState> containers;
  for (const json& one : Items(status, "initContainerStatuses")) {
    ContainerState init = ReadContainer(one);
    const bool done = init.ended && init.termination && init.termination->exit_code == 0;
    init.has_run = false;  // it is none of those that the pod is there for
    if (!done) containers.push_back(std::move(init));
  }
  for (const json& one : Items(status, "containerStatuses")) {
    containers.push_back(ReadContainer(one));
  }
  return containers;
}

std::string ImageOf(const json& spec, const std::string& container) {
  for (const char* list : {"containers", "initContainers"}) {
    for (const json& one : Items(spec, list)) {
      if (Text(one, "name") == container) return Text(one, "image");
    }
  }
  return {};
}

/// Whether the pod is there for this container: a coordinator's pod lives on whatever becomes of
/// the container of its reduce command, and is always started again.
bool IsMain(const PodView& pod, const ContainerState& container) {
  return pod.role != PodRole::kCoordinator || container.name == kCoordinatorContainer;
}

/// Containers that a webhook or a service mesh has added are none of ours.
bool IsOurs(const ContainerState& container) {
  return container.name == kCoordinatorContainer || container.name == kWorkerContainer ||
         container.name == kCommandContainer || container.name == kLauncherContainer;
}

/// The kubelet's reason for the end of a container that the kernel killed for lack of memory.
constexpr const char* kOomKilled = "OOMKilled";

void ReadCommandEnds(const json& status, PodView& pod) {
  for (const json& one : Items(status, "containerStatuses")) {
    if (Text(one, "name") != kCommandContainer) continue;
    for (const char* run : {"lastState", "state"}) {
      const json& ended = Child(Child(one, run), "terminated");
      const auto finished = Time(ended, "finishedAt");
      if (finished) pod.command_ends.push_back({*finished, Text(ended, "reason") == kOomKilled});
    }
  }
}

void ReadState(const json& spec, const json& status, PodView& pod) {
  const std::vector<ContainerState> containers = ReadContainers(status);
  if (containers.empty()) return;
  const ContainerState* worst = &*std::min_element(containers.begin(), containers.end(), WorseOff);
  const ContainerState* worst_of_ours = nullptr;
  // A single container that has ended makes the pod end, or is about to be started again.
  const bool several = Items(status, "containerStatuses").size() > 1;
  for (const ContainerState& one : containers) {
    if (!IsOurs(one) || !IsMain(pod, one)) continue;
    if (worst_of_ours == nullptr || WorseOff(one, *worst_of_ours)) worst_of_ours = &one;
    pod.has_run = pod.has_run || one.has_run;
  }
  for (const ContainerState& one : containers) {
    const bool ended_well = one.ended && one.termination->exit_code == 0;
    if (!several || !ended_well || !IsOurs(one) || pod.phase != PodPhase::kRunning) continue;
    if (pod.role == PodRole::kCoordinator) continue;
    pod.lingers = true;
    worst = worst_of_ours = &one;
  }
  pod.container = worst->name;
  pod.is_injected = !IsOurs(*worst);
  if (const std::string image = ImageOf(spec, worst->name); !image.empty()) pod.image = image;
  pod.waiting_reason = worst->waiting_reason;
  pod.waiting_message = worst->waiting_message;
  pod.restarts = worst->restarts;
  if (worst_of_ours != nullptr) pod.termination = worst_of_ours->termination;
}

}  // namespace

PodView ReadPod(const json& object) {
  const ObjectMeta meta = ReadObjectMeta(object);
  const json& status = Child(object, "status");
  PodView pod;
  pod.name = meta.name;
  pod.uid = meta.uid;
  pod.created = meta.created;
  pod.deleted = meta.deleted;
  pod.phase = PhaseOf(Text(status, "phase"));
  pod.reason = Text(status, "reason");
  pod.ip = Text(status, "podIP");
  pod.owner = ControllerOf(Child(object, "metadata"));
  ReadMarks(Child(object, "metadata"), pod);
  ReadSpec(Child(object, "spec"), pod);
  ReadConditions(status, pod);
  ReadCommandEnds(status, pod);
  ReadState(Child(object, "spec"), status, pod);
  return pod;
}

}  // namespace evenkeel::cluster
