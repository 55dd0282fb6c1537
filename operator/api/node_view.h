#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/node_profile.h"
#include "operator/api/resources.h"
#include "operator/api/taints.h"
#include "operator/api/timestamp.h"

namespace evenkeel::api {

/// A Node as far as it matters here. Of its annotations only our own are kept.
struct NodeView {
  model::NodeProfile profile;
  std::string operating_system;  ///< status.nodeInfo.operatingSystem; may be empty
  std::vector<Taint> taints;
  bool unschedulable = false;                ///< cordoned
  bool ready = false;                        ///< condition Ready is True
  std::optional<Timestamp> ready_changed{};  ///< when it became so
  Resources allocatable;                     ///< all pods together may ask for this much

  [[nodiscard]] const std::string& Name() const { return profile.name; }
};

}  // namespace evenkeel::api
