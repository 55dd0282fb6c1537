#pragma once

#include <memory>
#include <string>

#include "core/base/time.h"
#include "operator/kube/governed_transport.h"
#include "operator/kube/work_queue.h"

namespace evenkeel::operating {

enum class ReconcileResult { kSuccess, kError, kRequeueAfter };

/// What the operator tells of itself, under the names that controllers everywhere use
/// (kubebuilder's metrics reference), so that dashboards for them fit. Thread-safe.
class OperatorMetrics : public kube::WorkQueueObserver {
 public:
  [[nodiscard]] static std::unique_ptr<OperatorMetrics> Make();

  virtual void OnReconcileBegin() = 0;
  virtual void OnReconcileEnd(ReconcileResult result, Duration took) = 0;
  virtual void OnRequest(const kube::RequestOutcome& outcome) = 0;
  virtual void SetLeader(bool leads) = 0;
  virtual void SetMaxConcurrentReconciles(int threads) = 0;

  /// All of it in Prometheus' text format. `queue` adds what only it knows.
  [[nodiscard]] virtual std::string Text(const kube::WorkQueueFigures& queue) = 0;
};

}  // namespace evenkeel::operating
