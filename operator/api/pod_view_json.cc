#include "operator/api/pod_view_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/model/decimal.h"
#include "operator/api/lenient_json.h"
#include "operator/api/names.h"
#include "operator/api/object_meta_json.h"

namespace evenkeel::api {
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

void ReadSpec(const json& spec, PodView& pod) {
  pod.node = Text(spec, "nodeName");
  for (const json& container : Items(spec, "containers")) {
    if (pod.image.empty()) pod.image = Text(container, "image");
    pod.requests =
        pod.requests + RequestsOf({Quantities(Child(container, "resources"), "requests"), {}});
  }
  pod.requests.pods = 1;
}

void ReadConditions(const json& status, PodView& pod) {
  for (const json& one : Items(status, "conditions")) {
    const std::string type = Text(one, "type");
    const std::string value = Text(one, "status");
    if (type == "Ready") {
      pod.ready = value == "True";
      if (pod.ready) pod.ready_since = Time(one, "lastTransitionTime");
    }
    if (type == "PodScheduled" && value == "False") {
      pod.unscheduled = SchedulingTrouble{Text(one, "reason"), Text(one, "message"),
                                          Time(one, "lastTransitionTime").value_or(pod.created)};
    }
  }
}

void ReadTermination(const json& state, PodView& pod) {
  const json& ended = Child(state, "terminated");
  if (!ended.is_object()) return;
  constexpr std::int64_t kAny = std::numeric_limits<std::int32_t>::max();
  pod.has_run = true;
  pod.termination =
      Termination{static_cast<std::int32_t>(std::clamp(Integer(ended, "exitCode"), -kAny, kAny)),
                  Text(ended, "reason"), Text(ended, "message"), Time(ended, "finishedAt")};
}

void ReadContainers(const json& status, PodView& pod) {
  for (const json& container : Items(status, "containerStatuses")) {
    const json& state = Child(container, "state");
    const json& waiting = Child(state, "waiting");
    if (waiting.is_object() && pod.waiting_reason.empty()) {
      pod.waiting_reason = Text(waiting, "reason");
      pod.waiting_message = Text(waiting, "message");
    }
    ReadTermination(Child(container, "lastState"), pod);
    ReadTermination(state, pod);
    const auto restarts =
        std::clamp<std::int64_t>(Integer(container, "restartCount"), 0, kMaxCount);
    pod.restarts = std::max(pod.restarts, static_cast<std::int32_t>(restarts));
    if (restarts > 0 || Child(state, "running").is_object()) pod.has_run = true;
  }
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
  ReadContainers(status, pod);
  return pod;
}

}  // namespace evenkeel::api
