#include "tests/support/fake_api/object_store.h"

#include <cstdio>
#include <utility>

namespace evenkeel::support {

using nlohmann::json;

const json* ObjectStore::Find(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : &found->second;
}

std::vector<json> ObjectStore::All(const std::string& collection,
                                   const std::string& namespace_name) const {
  std::vector<json> all;
  for (auto at = objects_.lower_bound({collection, namespace_name, ""});
       at != objects_.end() && at->first.collection == collection; ++at) {
    if (!namespace_name.empty() && at->first.namespace_name != namespace_name) break;
    all.push_back(at->second);
  }
  return all;
}

const json& ObjectStore::Write(const ObjectKey& key, json object) {
  json& place = objects_[key];
  json before = std::exchange(place, {});
  json& metadata = object["metadata"];
  metadata["name"] = key.name;
  if (!key.namespace_name.empty()) metadata["namespace"] = key.namespace_name;
  if (before.is_null()) {
    char uid[37];
    std::snprintf(uid, sizeof(uid), "00000000-0000-4000-8000-%012d", ++created_);
    metadata["uid"] = uid;
    metadata["creationTimestamp"] = "2024-01-01T00:00:00Z";
    metadata["generation"] = 1;
  }
  metadata["resourceVersion"] = std::to_string(++version_);
  place = std::move(object);
  const char* const type = before.is_null() ? "ADDED" : "MODIFIED";
  events_.push_back({version_, type, key.collection, place, std::move(before)});
  return place;
}

void ObjectStore::Remove(const ObjectKey& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  json last = found->second;
  json gone = std::move(found->second);
  objects_.erase(found);
  managers_.erase(key);
  gone["metadata"]["resourceVersion"] = std::to_string(++version_);
  events_.push_back({version_, "DELETED", key.collection, std::move(gone), std::move(last)});
}

void ObjectStore::Compact() {
  oldest_ = version_;
  rests_.clear();
}

std::string ObjectStore::KeepRest(ListRest rest) {
  // Characters that have to be encoded in a query, as real tokens have them.
  const std::string token = "rest/" + std::to_string(++lists_) + "+==";
  rests_[token] = std::move(rest);
  return token;
}

const ListRest* ObjectStore::FindRest(const std::string& token) const {
  const auto found = rests_.find(token);
  return found == rests_.end() ? nullptr : &found->second;
}

}  // namespace evenkeel::support
