#pragma once

#include <compare>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"

namespace evenkeel::kube {

using Json = nlohmann::json;

/// Where an object is: unique within its kind.
struct ObjectKey {
  std::string space;  ///< its namespace; empty for objects of the whole cluster
  std::string name;

  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
};

/// "namespace/name", or "name" for objects of the whole cluster.
[[nodiscard]] std::string ToString(const ObjectKey& key);

/// The part of an object's metadata that a store lives by.
struct ObjectMeta {
  ObjectKey key;
  std::string resource_version;  ///< opaque: compared for equality only
};

/// Reads `metadata` of an object. Error: kInvalidInput when there is no name or no version.
[[nodiscard]] Result<ObjectMeta> ReadMeta(const Json& object);

/// The string at `object[field]`; empty when it is absent, no string, or `object` is no object.
[[nodiscard]] std::string TextAt(const Json& object, const char* field);

/// The member of an object, or null where there is none: for reading what others wrote.
[[nodiscard]] const Json& MemberOf(const Json& object, const char* field);

}  // namespace evenkeel::kube

template <>
struct std::hash<evenkeel::kube::ObjectKey> {
  std::size_t operator()(const evenkeel::kube::ObjectKey& key) const noexcept {
    const std::size_t space = std::hash<std::string>{}(key.space);
    return std::hash<std::string>{}(key.name) ^ (space * 31 + 7);
  }
};
