#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::api {

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

}  // namespace evenkeel::api
