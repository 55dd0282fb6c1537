#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/log.h"
#include "core/base/time.h"
#include "kubernetes/object.h"

namespace evenkeel::kube {

/// Keeps what a reflector sees. Called by one thread.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  /// The whole set follows, up to CompleteList(). Drops the objects of an unfinished list; those of
  /// the last complete list stay until the new one is complete.
  virtual void BeginList() = 0;
  virtual void Put(const ObjectMeta& meta, const Json& object) = 0;
  virtual void Remove(const ObjectMeta& meta) = 0;
  /// Removes all objects that were not put since BeginList().
  virtual void CompleteList() = 0;
};

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

/// Callbacks for changes. All are called by the reflector's thread, after the store shows
/// the change and without its lock; they must not block. Any may be empty.
template <typename T>
struct StoreHandler {
  std::function<void(const ObjectKey& key, const T& now)> on_add;
  std::function<void(const ObjectKey& key, const T& before, const T& now)> on_update;
  std::function<void(const ObjectKey& key, const T& last)> on_delete;
};

/// Fills a store from a reflector: reduces each object to T at once, replaces the set when a list
/// is complete, and tells the handlers what changed, including deletions during an outage. The sink
/// side is for one thread; Synced() and WaitUntilSynced() for any.
template <typename T>
class StoreFeeder final : public ObjectSink {
 public:
  /// Reduces an object to T. An object that it refuses is left out, with a warning in the log.
  using Projection = std::function<Result<T>(const Json& object)>;

  StoreFeeder(Store<T>& store, Projection projection)
      : store_(store), projection_(std::move(projection)) {}

  /// Before the first list.
  void AddHandler(StoreHandler<T> handler) { handlers_.push_back(std::move(handler)); }

  void BeginList() override {
    listing_ = true;
    listed_.clear();
  }

  void Put(const ObjectMeta& meta, const Json& object) override {
    auto entry = store_.FindEntry(meta.key);
    if (!entry || entry->resource_version != meta.resource_version) {
      Result<T> value = projection_(object);
      if (!value) return Refuse(meta.key, value.error().message);
      entry.emplace(typename Store<T>::Entry{meta.resource_version,
                                             std::make_shared<const T>(std::move(*value))});
    }
    if (listing_) {
      listed_.insert_or_assign(meta.key, std::move(*entry));
      return;
    }
    const auto change = store_.Put(meta.key, std::move(*entry));
    if (change) Tell(*change);
  }

  void Remove(const ObjectMeta& meta) override { Drop(meta.key); }

  void CompleteList() override {
    listing_ = false;
    const auto changes = store_.Replace(std::exchange(listed_, {}));
    for (const auto& change : changes) Tell(change);
    {
      const std::scoped_lock lock(mutex_);
      synced_ = true;
    }
    synced_changed_.notify_all();
  }

  /// True once a first list is in the store and its handlers were called.
  [[nodiscard]] bool Synced() const {
    const std::scoped_lock lock(mutex_);
    return synced_;
  }

  /// Waits for Synced(); false when time or patience (`stop`) ran out first.
  [[nodiscard]] bool WaitUntilSynced(Duration patience, const std::stop_token& stop) const {
    std::unique_lock lock(mutex_);
    return synced_changed_.wait_for(lock, stop, patience, [this] { return synced_; });
  }

 private:
  void Drop(const ObjectKey& key) {
    if (listing_) {
      listed_.erase(key);
      return;
    }
    const auto change = store_.Remove(key);
    if (change) Tell(*change);
  }

  void Refuse(const ObjectKey& key, const std::string& why) {
    Log(LogLevel::kWarning, ToString(key) + " is left out: " + why);
    Drop(key);
  }

  void Tell(const typename Store<T>::Change& change) {
    for (const StoreHandler<T>& handler : handlers_) {
      if (!change.before) {
        if (handler.on_add) handler.on_add(change.key, *change.after);
      } else if (!change.after) {
        if (handler.on_delete) handler.on_delete(change.key, *change.before);
      } else if (handler.on_update) {
        handler.on_update(change.key, *change.before, *change.after);
      }
    }
  }

  Store<T>& store_;
  const Projection projection_;
  std::vector<StoreHandler<T>> handlers_;
  bool listing_ = false;
  typename Store<T>::Entries listed_;

  mutable std::mutex mutex_;
  mutable std::condition_variable_any synced_changed_;
  bool synced_ = false;  // guarded by mutex_
};

}  // namespace evenkeel::kube
