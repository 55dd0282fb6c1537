#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/resources.h"
#include "core/model/node_profile.h"
#include "platform/time.h"

namespace evenkeel::cluster {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  ///< NoSchedule, PreferNoSchedule or NoExecute

  friend bool operator==(const Taint&, const Taint&) = default;
};

struct Toleration {
  std::string key;  ///< empty with Exists: every key
  std::string op;   ///< Equal (also if empty) or Exists
  std::string value;
  std::string effect;  ///< empty: every effect
  std::optional<std::int64_t> seconds;

  friend bool operator==(const Toleration&, const Toleration&) = default;
};

/// As the scheduler decides (k8s.io/api/core/v1 Toleration.ToleratesTaint); operators that are not
/// known tolerate nothing.
[[nodiscard]] bool Tolerates(const Toleration& toleration, const Taint& taint);

/// The first taint that keeps new pods with these tolerations away; nothing if there is none.
/// PreferNoSchedule keeps none away.
[[nodiscard]] std::optional<Taint> FirstUntolerated(const std::vector<Taint>& taints,
                                                    const std::vector<Toleration>& tolerations);

/// A Node as far as it matters here. Of its annotations only our own are kept.
struct NodeView {
  model::NodeProfile profile;
  std::string operating_system;  ///< status.nodeInfo.operatingSystem; may be empty
  std::vector<Taint> taints;
  bool unschedulable = false;                          ///< cordoned
  bool ready = false;                                  ///< condition Ready is True
  std::optional<platform::Timestamp> ready_changed{};  ///< when it became so
  Resources allocatable;                               ///< all pods together may ask for this much

  [[nodiscard]] const std::string& Name() const { return profile.name; }
};

}  // namespace evenkeel::cluster
