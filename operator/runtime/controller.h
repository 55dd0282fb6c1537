#pragma once

#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "operator/kube/work_queue.h"
#include "operator/runtime/job_reconciler.h"
#include "operator/runtime/operator_metrics.h"
#include "operator/runtime/trouble_log.h"

namespace evenkeel::operating {

/// Takes jobs from a queue and looks at them, several at a time. For one owner.
class Controller {
 public:
  /// `may_act`: whether this process may still act as leader; asked before each look. All must
  /// outlive the controller.
  Controller(kube::WorkQueue& queue, JobReconciler& reconciler, OperatorMetrics& metrics,
             const Clock& clock, std::function<bool()> may_act)
      : queue_(queue),
        reconciler_(reconciler),
        metrics_(metrics),
        clock_(clock),
        may_act_(std::move(may_act)) {}
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  ~Controller() { Stop(Duration::zero()); }

  void Start(int threads);
  /// Finishes what is in work, for at most `patience`, and ends.
  void Stop(Duration patience);

 private:
  void Run(const std::stop_token& stop);
  void LookAt(const kube::ObjectKey& job);

  kube::WorkQueue& queue_;
  JobReconciler& reconciler_;
  OperatorMetrics& metrics_;
  const Clock& clock_;
  const std::function<bool()> may_act_;
  TroubleLog troubles_;
  std::vector<std::jthread> threads_;
};

}  // namespace evenkeel::operating
