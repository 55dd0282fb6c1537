#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::model {

/// The properties of a Kubernetes Node that scheduling uses. A plain value.
struct NodeProfile {
  std::string name;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::string architecture;  ///< status.nodeInfo.architecture, e.g. "arm64"; may be empty
  std::string os_image;      ///< status.nodeInfo.osImage; may be empty
  std::optional<std::int64_t> cpu_millicores;           ///< status.capacity.cpu
  std::optional<std::int64_t> memory_bytes;             ///< status.capacity.memory
  std::optional<std::int64_t> ephemeral_storage_bytes;  ///< status.capacity["ephemeral-storage"]
  /// Annotation evenkeel.dev/emulated-speed, > 0: the CPU limit of this node as a fraction of one
  /// core; for synthetic tasks that sleep, its speed.
  std::optional<double> emulated_speed;
};

/// The labels of `selector` that the node lacks or has with another value, each as "key=value".
[[nodiscard]] std::vector<std::string> MissingLabels(
    const NodeProfile& node, const std::map<std::string, std::string>& selector);

}  // namespace evenkeel::model
