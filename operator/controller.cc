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
  while (const auto key = queue_.Take(stop)) {
    if (may_act_()) Reconcile(*key);
    queue_.Done(*key);
  }
}

void Controller::Reconcile(const kube::ObjectKey& key) {
  metrics_.OnReconcileBegin();
  const Instant began = clock_.Now();
  const bool is_policy = key.namespace_name.empty();
  Reconciler& reconciler = is_policy ? reconcilers_.policies : reconcilers_.jobs;
  const Reconciliation end = reconciler.Reconcile(key);
  ReconcileResult result = ReconcileResult::kSuccess;
  if (end.failed) {
    result = ReconcileResult::kError;
    if (repeated_errors_.IsNew(key, end.error, began)) {
      Log(LogLevel::kWarning,
          (is_policy ? "WeightingPolicy " : "") + ToString(key) + ": " + end.error);
    }
    queue_.AddRateLimited(key);
  } else {
    if (!end.status_pending) queue_.Forget(key);
    if (end.requeue_after) {
      result = ReconcileResult::kRequeueAfter;
      queue_.AddAfter(key, *end.requeue_after);
    }
  }
  metrics_.OnReconcileEnd(result, clock_.Now() - began);
}

}  // namespace evenkeel::controller
