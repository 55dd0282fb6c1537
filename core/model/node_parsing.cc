#include "core/model/node_parsing.h"

#include <optional>
#include <set>
#include <utility>

#include "core/model/decimal.h"
#include "core/model/document.h"
#include "core/model/field_reader.h"
#include "core/model/names.h"
#include "core/model/quantity.h"

namespace evenkeel::model {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxListedNodes = 10'000;
constexpr double kMaxSpeed = 1000;
const std::string kSpeedAnnotation = "evenkeel.dev/emulated-speed";

std::optional<std::int64_t> ReadQuantity(FieldReader& capacity, const std::string& resource,
                                         double scale) {
  const json& value = capacity.Any(resource);
  if (value.is_null()) return std::nullopt;
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  const auto quantity = value.is_structured() ? std::nullopt : ParseQuantity(text, scale);
  if (!quantity) capacity.Fail(resource, "must be " + kAllowedQuantity + ", is " + Shown(value));
  return quantity;
}

void ReadMetadata(FieldReader metadata, NodeProfile& node) {
  metadata.AllowUnknownFields();
  node.name = metadata.RequiredString("name", 253);
  if (!IsDnsSubdomain(node.name)) {
    metadata.Fail("name", "must be " + kAllowedDnsSubdomain + ", is " + Shown(node.name));
  }
  node.labels = metadata.StringMap("labels", 4096, 63);
  node.annotations = metadata.StringMap("annotations", 4096, 256 * 1024);

  const auto speed = node.annotations.find(kSpeedAnnotation);
  if (speed == node.annotations.end()) return;
  node.emulated_speed = ParseDecimal(speed->second);
  if (!node.emulated_speed || *node.emulated_speed <= 0 || *node.emulated_speed > kMaxSpeed) {
    metadata.Fail("annotations." + kSpeedAnnotation, "must be " +
                                                         Allowed(NumberRange{0, kMaxSpeed, true}) +
                                                         " in quotes, is " + Shown(speed->second));
  }
}

void ReadStatus(FieldReader status, NodeProfile& node) {
  status.AllowUnknownFields();
  FieldReader capacity = status.OptionalObject("capacity");
  capacity.AllowUnknownFields();
  node.cpu_millicores = ReadQuantity(capacity, "cpu", 1000);
  node.memory_bytes = ReadQuantity(capacity, "memory", 1);
  node.ephemeral_storage_bytes = ReadQuantity(capacity, "ephemeral-storage", 1);

  FieldReader info = status.OptionalObject("nodeInfo");
  info.AllowUnknownFields();
  node.architecture = info.OptionalString("architecture", 63, "");
  node.os_image = info.OptionalString("osImage", 1024, "");
}

NodeProfile ReadNode(FieldReader object) {
  NodeProfile node;
  object.AllowUnknownFields();
  // Items of a NodeList come without apiVersion and kind.
  object.OptionalChoice("apiVersion", {"v1"}, "v1");
  object.OptionalChoice("kind", {"Node"}, "Node");
  ReadMetadata(object.RequiredObject("metadata"), node);
  ReadStatus(object.OptionalObject("status"), node);
  return node;
}

std::vector<NodeProfile> ReadNodes(FieldReader& document) {
  document.AllowUnknownFields();
  document.RequiredChoice("apiVersion", {"v1"});
  const std::string kind = document.RequiredChoice("kind", {"List", "NodeList", "Node"});
  if (kind == "Node") return {ReadNode(document)};

  std::vector<NodeProfile> nodes;
  std::set<std::string> names;
  for (FieldReader& item : document.Objects("items", kMaxListedNodes)) {
    nodes.push_back(ReadNode(item));
    const std::string& name = nodes.back().name;
    if (!names.insert(name).second) {
      item.Fail("metadata.name", "must differ from node to node, is " + Shown(name) + " twice");
    }
  }
  if (nodes.empty()) document.Fail("items", "must have at least 1 node, has none");
  return nodes;
}

}  // namespace

Result<std::vector<NodeProfile>> ParseNodes(const std::string& yaml_text,
                                            const std::string& file_name) {
  const Result<json> document = ParseDocument(yaml_text, file_name);
  if (!document) return tl::unexpected(document.error());

  FieldReader reader(*document, "");
  std::vector<NodeProfile> nodes = ReadNodes(reader);
  if (const auto read = reader.Finish(); !read) {
    return InvalidInput(file_name + ": " + read.error().message);
  }
  return nodes;
}

}  // namespace evenkeel::model
