#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "cluster/weighted_job.h"
#include "core/base/clock.h"
#include "kubernetes/client.h"
#include "kubernetes/time.h"
#include "operator/cluster_cache.h"
#include "operator/reconciler.h"
#include "operator/status_pacer.h"

namespace evenkeel::controller {

/// Keeps the condition Accepted of WeightingPolicies up to date. Their keys have no namespace.
class PolicyReconciler final : public Reconciler {
 public:
  struct Parts {
    const ClusterCache& cache;
    const kube::Client& client;
    StatusPacer& pacer;
    const kube::WallClock& wall;
    const Clock& clock;
  };
  explicit PolicyReconciler(Parts parts) : parts_(parts) {}

  [[nodiscard]] Reconciliation Reconcile(const kube::ObjectKey& key) override;

 private:
  /// The last write of a policy's status.
  struct Write {
    std::string uid;
    std::int64_t generation = 0;
    Instant at{};
  };

  /// Time after which the status may be written; zero: now. The cache may not show the last write
  /// yet, and an operator of another version may judge the same policy differently: writes for the
  /// same spec keep an interval.
  [[nodiscard]] Duration TimeUntilWrite(const cluster::PolicyView& policy) const;

  Parts parts_;
  mutable std::mutex mutex_;
  std::map<std::string, Write> writes_;  // by name; guarded by mutex_
};

}  // namespace evenkeel::controller
