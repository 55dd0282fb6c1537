#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "operator/kube/object_meta.h"

namespace evenkeel::kube {

/// The objects of one kind as they were last heard of, reduced to what is needed (T), by namespace
/// and name, and by any number of named indexes. Reads are snapshots: values never change, new ones
/// take their place. Thread-safe for one writer and any number of readers, AddIndex() excepted.
template <typename T>
class Store {
 public:
  using Value = std::shared_ptr<const T>;
  /// The words under which an object is found; none: it is not in this index.
  using IndexFunction =
      std::function<std::vector<std::string>(const ObjectKey& key, const T& value)>;

  struct Entry {
    std::string resource_version;
    Value value;
  };
  using Entries = std::map<ObjectKey, Entry>;

  /// An object came (nothing before), changed, or went (nothing after).
  struct Change {
    ObjectKey key;
    Value before;
    Value after;
  };

  /// Before the store is filled. Names are unique.
  void AddIndex(const std::string& name, IndexFunction words) {
    const std::unique_lock lock(mutex_);
    EVENKEEL_CHECK(entries_.empty(), "an index added to a store in use");
    EVENKEEL_CHECK(indexes_.count(name) == 0, "two indexes of one name");
    indexes_[name].words = std::move(words);
  }

  /// Null when there is no such object.
  [[nodiscard]] Value Find(const ObjectKey& key) const {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : found->second.value;
  }

  /// All objects, in the order of their keys.
  [[nodiscard]] std::vector<Value> All() const {
    const std::shared_lock lock(mutex_);
    std::vector<Value> values;
    values.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) values.push_back(entry.value);
    return values;
  }

  [[nodiscard]] std::vector<ObjectKey> Keys() const {
    const std::shared_lock lock(mutex_);
    std::vector<ObjectKey> keys;
    keys.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) keys.push_back(key);
    return keys;
  }

  /// The objects that `index` has under `word`, in the order of their keys.
  [[nodiscard]] std::vector<Value> Under(const std::string& index, const std::string& word) const {
    const std::shared_lock lock(mutex_);
    const auto named = indexes_.find(index);
    EVENKEEL_CHECK(named != indexes_.end(), "an index that does not exist");
    std::vector<Value> values;
    const auto found = named->second.keys.find(word);
    if (found == named->second.keys.end()) return values;
    values.reserve(found->second.size());
    for (const ObjectKey& key : found->second) values.push_back(entries_.at(key).value);
    return values;
  }

  [[nodiscard]] std::size_t Size() const {
    const std::shared_lock lock(mutex_);
    return entries_.size();
  }

  /// The entry of an object, so that a value which did not change need not be made again.
  [[nodiscard]] std::optional<Entry> FindEntry(const ObjectKey& key) const {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() ? std::nullopt : std::optional<Entry>(found->second);
  }

  /// Nothing when this version is there already.
  std::optional<Change> Put(const ObjectKey& key, Entry entry) {
    const std::unique_lock lock(mutex_);
    return PutLocked(key, std::move(entry));
  }

  /// Nothing when there is no such object.
  std::optional<Change> Remove(const ObjectKey& key) {
    const std::unique_lock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    return RemoveLocked(found);
  }

  /// Makes these the only objects. The changes: first what went, then what came or changed.
  std::vector<Change> Replace(Entries entries) {
    const std::unique_lock lock(mutex_);
    std::vector<Change> changes;
    for (auto old = entries_.begin(); old != entries_.end();) {
      const auto here = old++;
      if (entries.count(here->first) == 0) changes.push_back(RemoveLocked(here));
    }
    for (auto& [key, entry] : entries) {
      auto change = PutLocked(key, std::move(entry));
      if (change) changes.push_back(std::move(*change));
    }
    return changes;
  }

 private:
  struct Index {
    IndexFunction words;
    std::map<std::string, std::set<ObjectKey>> keys;
  };

  std::optional<Change> PutLocked(const ObjectKey& key, Entry entry) {
    Entry& slot = entries_[key];
    if (slot.value && slot.resource_version == entry.resource_version) return std::nullopt;
    Change change{key, slot.value, entry.value};
    if (slot.value) Unindex(key, *slot.value);
    slot = std::move(entry);
    for (auto& [name, index] : indexes_) {
      for (const std::string& word : index.words(key, *slot.value)) index.keys[word].insert(key);
    }
    return change;
  }

  Change RemoveLocked(typename Entries::iterator gone) {
    Change change{gone->first, gone->second.value, nullptr};
    Unindex(gone->first, *gone->second.value);
    entries_.erase(gone);
    return change;
  }

  void Unindex(const ObjectKey& key, const T& value) {
    for (auto& [name, index] : indexes_) {
      for (const std::string& word : index.words(key, value)) {
        const auto found = index.keys.find(word);
        if (found == index.keys.end()) continue;
        found->second.erase(key);
        if (found->second.empty()) index.keys.erase(found);
      }
    }
  }

  mutable std::shared_mutex mutex_;
  Entries entries_;                       // guarded by mutex_
  std::map<std::string, Index> indexes_;  // guarded by mutex_
};

}  // namespace evenkeel::kube
