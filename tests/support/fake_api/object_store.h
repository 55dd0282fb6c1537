#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/fake_api/server_side_apply.h"

namespace evenkeel::support {

/// A change, as watches report it.
struct StoredEvent {
  std::int64_t version = 0;
  std::string type;  ///< ADDED, MODIFIED, DELETED
  std::string collection;
  nlohmann::json object;
  nlohmann::json before;  ///< null for ADDED
};

/// Which object of which collection.
struct ObjectKey {
  std::string collection;
  std::string namespace_name;  ///< empty: cluster-scoped
  std::string name;
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

/// The rest of a list whose first pages were handed out: as it was then.
struct ListRest {
  std::int64_t version = 0;
  std::vector<nlohmann::json> items;
};

/// Objects with versions and their history. Not thread-safe.
class ObjectStore {
 public:
  [[nodiscard]] const nlohmann::json* Find(const ObjectKey& key) const;
  /// Of one namespace, or of all (empty), in the order of namespace and name.
  [[nodiscard]] std::vector<nlohmann::json> All(const std::string& collection,
                                                const std::string& namespace_name = "") const;

  /// Creates (with uid and so on) or replaces as it is; a new version, an event.
  const nlohmann::json& Write(const ObjectKey& key, nlohmann::json object);
  void Remove(const ObjectKey& key);

  /// The field managers of an object for server-side apply; removed with the object.
  [[nodiscard]] FieldManagers& ManagersOf(const ObjectKey& key) { return managers_[key]; }

  [[nodiscard]] std::int64_t version() const { return version_; }
  /// Versions before this one are forgotten.
  [[nodiscard]] std::int64_t oldest() const { return oldest_; }
  void Compact();

  /// All since the start; a watcher remembers how far it is.
  [[nodiscard]] const std::deque<StoredEvent>& events() const { return events_; }

  /// Keeps the rest of a list and names it; Compact() forgets it.
  [[nodiscard]] std::string KeepRest(ListRest rest);
  /// Null if it was dropped. The same token may be used again.
  [[nodiscard]] const ListRest* FindRest(const std::string& token) const;

 private:
  std::map<ObjectKey, nlohmann::json> objects_;
  std::map<ObjectKey, FieldManagers> managers_;
  std::deque<StoredEvent> events_;
  std::map<std::string, ListRest> rests_;
  std::int64_t version_ = 1000;
  std::int64_t oldest_ = 0;
  int created_ = 0;
  int lists_ = 0;
};

}  // namespace evenkeel::support
