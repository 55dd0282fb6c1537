#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "operator/kube/object_meta.h"

namespace evenkeel::kube {

/// What the election reads and writes of a coordination.k8s.io/v1 Lease.
struct LeaseRecord {
  std::string holder;  ///< holderIdentity; empty: nobody's
  std::int32_t duration_seconds = 0;
  std::string acquire_time;  ///< MicroTime as it stands there; information only
  std::string renew_time;    ///< likewise: its change shows life, its value is never compared
  std::int32_t transitions = 0;

  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

/// Fields that are missing or of another type read as empty. Error: no object at all.
[[nodiscard]] Result<LeaseRecord> ReadLease(const Json& lease);

/// `base` (an object that was read, or null for a new one) with this record; what else stands in
/// it, its resourceVersion too, stays.
[[nodiscard]] Json WriteLease(const Json& base, const ObjectKey& key, const LeaseRecord& record);

}  // namespace evenkeel::kube
