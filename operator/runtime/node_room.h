#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "operator/api/resources.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::operating {

/// A pod, whosever it is, as far as it takes room on a node.
struct PodRoom {
  std::string node;  ///< empty: nowhere yet
  api::Resources requests;

  [[nodiscard]] bool Counts() const { return !node.empty(); }
};

/// What all pods ask of each node, kept up to date pod by pod. Thread-safe.
class NodeRoom {
 public:
  void Add(const PodRoom& pod);
  void Remove(const PodRoom& pod);
  /// As things stand; the same object until something changes.
  [[nodiscard]] std::shared_ptr<const plan::Requests> Requested() const;

 private:
  mutable std::mutex mutex_;
  // All guarded by mutex_.
  plan::Requests requested_;
  mutable std::shared_ptr<const plan::Requests> shared_;  // null: out of date
};

}  // namespace evenkeel::operating
