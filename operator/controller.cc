#include "operator/controller.h"

#include "core/base/log.h"

namespace evenkeel::controller {

void Controller::Start(int threads) {
  metrics_.SetMaxConcurrentReconciles(threads);
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  }
}

void Controller::Stop(Duration patience) {
  if (threads_.empty()) return;
  if (!queue_.ShutDownAndDrain(patience)) queue_.Drop();
  for (auto& thread : threads_) thread.request_stop();
  threads_.clear();
}

void Controller::Run(const std::stop_token& stop) {
  while (const auto job = queue_.Take(stop)) {
    if (may_act_()) LookAt(*job);
    queue_.Done(*job);
  }
}

void Controller::LookAt(const kube::ObjectKey& job) {
  metrics_.OnReconcileBegin();
  const Instant began = clock_.Now();
  const Reconciliation end = reconciler_.Reconcile(job);
  ReconcileResult result = ReconcileResult::kSuccess;
  if (end.failed) {
    result = ReconcileResult::kError;
    if (repeated_errors_.IsNew(job, end.error, began)) {
      Log(LogLevel::kWarning, ToString(job) + ": " + end.error);
    }
    queue_.AddRateLimited(job);
  } else {
    if (!end.status_pending) queue_.Forget(job);
    if (end.requeue_after) {
      result = ReconcileResult::kRequeueAfter;
      queue_.AddAfter(job, *end.requeue_after);
    }
  }
  metrics_.OnReconcileEnd(result, clock_.Now() - began);
}

}  // namespace evenkeel::controller
