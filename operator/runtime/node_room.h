#pragma once

#include <map>
#include <mutex>
#include <string>

#include "operator/api/resources.h"

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
  [[nodiscard]] std::map<std::string, api::Resources> Requested() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, api::Resources> requested_;  // guarded by mutex_
};

}  // namespace evenkeel::operating
