#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace evenkeel::kube {

using Json = nlohmann::json;

/// Where an object is: unique within its kind.
struct ObjectKey {
  std::string namespace_name;  ///< its namespace; empty for objects of the whole cluster
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
    const std::size_t space = std::hash<std::string>{}(key.namespace_name);
    return std::hash<std::string>{}(key.name) ^ (space * 31 + 7);
  }
};

namespace evenkeel::kube {

/// A kind of objects as the API server addresses it.
struct Resource {
  std::string group;  ///< empty: the core group
  std::string version;
  std::string plural;
  bool namespaced = true;

  friend bool operator==(const Resource&, const Resource&) = default;
};

/// "v1", "apps/v1"
[[nodiscard]] std::string ApiVersionOf(const Resource& resource);

/// Everything but letters, digits and "-._~" as %XX.
[[nodiscard]] std::string PercentEncode(std::string_view text);

/// Path of the objects of one namespace, or of all (empty; cluster-scoped resources always).
[[nodiscard]] std::string CollectionPath(const Resource& resource, std::string_view namespace_name);

/// Path of one object; a namespaced resource needs a namespace. `subresource`: such as "status".
[[nodiscard]] std::string ObjectPath(const Resource& resource, std::string_view namespace_name,
                                     std::string_view name, std::string_view subresource = "");

/// One page of a LIST.
struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  std::int64_t limit = 500;      ///< objects a page; 0: all at once
  std::string continue_token;    ///< of the page before
  std::string resource_version;  ///< "0": from the server's cache; empty: the newest
};

struct WatchOptions {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;  ///< opaque; where to go on
  /// A streaming list (KEP-3157): all objects first, their end marked by a bookmark with the
  /// annotation k8s.io/initial-events-end.
  bool send_initial_events = false;
  bool bookmarks = true;
  int timeout_seconds = 0;  ///< the server ends it then; 0: the server's own choice
};

[[nodiscard]] std::string ListTarget(const Resource& resource, std::string_view namespace_name,
                                     const ListOptions& options);
[[nodiscard]] std::string WatchTarget(const Resource& resource, std::string_view namespace_name,
                                      const WatchOptions& options);

}  // namespace evenkeel::kube
