#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evenkeel::api {

/// A worker pod to be made, beside what the job itself says.
struct WorkerPod {
  std::string node;
  double ratio = 1;
  std::int64_t weight = 1;
  std::int32_t threads = 1;
  std::int64_t attempt = 1;
  std::string image;

  friend bool operator==(const WorkerPod&, const WorkerPod&) = default;
};

/// A coordinator pod to be made, beside what the job itself says.
struct CoordinatorPod {
  std::int64_t attempt = 1;
  std::string image;
  bool with_snapshot = false;              ///< goes on from the ConfigMap NAME-snapshot
  std::vector<std::string> avoided_nodes;  ///< rather not on these: the slowest boards
  std::vector<std::string> architectures;  ///< the image runs on

  friend bool operator==(const CoordinatorPod&, const CoordinatorPod&) = default;
};

/// How long pods tolerate a node that is not ready or cannot be reached, before they are evicted.
/// A worker's work is taken over by others at once. A coordinator without a claim would lose all
/// that was done, so it waits longer for its node to come back.
inline constexpr std::int64_t kWorkerNodeLossSeconds = 30;
inline constexpr std::int64_t kCoordinatorNodeLossSeconds = 30;
inline constexpr std::int64_t kUnclaimedNodeLossSeconds = 120;

}  // namespace evenkeel::api
