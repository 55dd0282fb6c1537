#include "operator/api/node_view_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/model/quantity.h"
#include "operator/api/lenient_json.h"

namespace evenkeel::api {
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
                      QuantityIn(allocatable, "pods", 1).value_or(0)};
  return node;
}

}  // namespace evenkeel::api
