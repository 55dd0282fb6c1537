#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "core/base/time.h"
#include "operator/kube/object_sink.h"
#include "operator/kube/store.h"

namespace evenkeel::kube {

/// What wants to know of changes. All are called by the reflector's thread, after the store shows
/// the change and without its lock; they must not block. Any may be empty.
template <typename T>
struct StoreHandler {
  std::function<void(const ObjectKey& key, const T& now)> on_add;
  std::function<void(const ObjectKey& key, const T& before, const T& now)> on_update;
  std::function<void(const ObjectKey& key, const T& last)> on_delete;
};

/// Fills a store from a reflector: reduces each object to T at once, replaces the set when a list
/// is complete, and tells the handlers what changed, deletions that nobody saw included. The sink
/// side is for one thread; Synced() and WaitUntilSynced() for any.
template <typename T>
class StoreFeeder final : public ObjectSink {
 public:
  /// Reads what is needed of an object. An object that it refuses is left out, and the log says so.
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
