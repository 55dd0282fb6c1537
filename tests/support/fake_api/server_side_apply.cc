#include "tests/support/fake_api/server_side_apply.h"

#include <set>
#include <utility>

namespace evenkeel::support {
namespace {

using nlohmann::json;
using Pointer = json::json_pointer;

/// The places of all values that are no objects with fields.
void CollectLeaves(const json& value, const Pointer& here, std::set<std::string>& leaves) {
  if (!value.is_object() || value.empty()) {
    leaves.insert(here.to_string());
    return;
  }
  for (const auto& [key, inner] : value.items()) CollectLeaves(inner, here / key, leaves);
}

/// Fields of an applied object; those that identify the object have no owner.
std::set<std::string> LeavesOf(const json& body) {
  std::set<std::string> leaves;
  CollectLeaves(body, Pointer(), leaves);
  for (const char* const name : {"/apiVersion", "/kind", "/metadata/name", "/metadata/namespace",
                                 "/metadata/uid", "/metadata/resourceVersion"}) {
    leaves.erase(name);
  }
  return leaves;
}

void Erase(json& object, const std::string& leaf) {
  const Pointer where(leaf);
  if (object.contains(where)) object[where.parent_pointer()].erase(where.back());
}

}  // namespace

std::optional<json> ApplyFields(json object, const json& body, const std::string& manager,
                                bool force, FieldManagers& managers) {
  const std::set<std::string> wanted = LeavesOf(body);
  std::set<std::string> of_others;
  for (auto& [other, applied] : managers) {
    if (other == manager) continue;
    for (const std::string& leaf : LeavesOf(applied)) {
      of_others.insert(leaf);
      const Pointer where(leaf);
      const bool contested =
          wanted.contains(leaf) && object.contains(where) && object[where] != body[where];
      if (contested && !force) return std::nullopt;
      if (contested) Erase(applied, leaf);
    }
  }
  const auto before = managers.find(manager);
  if (before != managers.end()) {
    for (const std::string& leaf : LeavesOf(before->second)) {
      if (!wanted.contains(leaf) && !of_others.contains(leaf)) Erase(object, leaf);
    }
  }
  object.update(body, /*merge_objects=*/true);
  managers[manager] = body;
  return object;
}

}  // namespace evenkeel::support
