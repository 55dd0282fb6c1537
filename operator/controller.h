#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/time.h"
#include "kubernetes/object.h"
#include "kubernetes/work_queue.h"
#include "operator/metrics.h"
#include "operator/reconciler.h"

namespace evenkeel::controller {

/// Limits repeated log lines: while the API server is unavailable, each retry, up to five a second,
/// fails with the same error. Thread-safe.
class RepeatedErrorFilter {
 public:
  /// Returns whether to log the error: the object had no line with this text in the last ten
  /// seconds.
  [[nodiscard]] bool IsNew(const kube::ObjectKey& object, const std::string& trouble, Instant now) {
    constexpr Duration kQuiet = std::chrono::seconds(10);
    const std::lock_guard lock(mutex_);
    std::erase_if(said_, [&](const auto& said) { return now - said.second.at >= kQuiet; });
    const auto last = said_.find(object);
    if (last != said_.end() && last->second.trouble == trouble) return false;
    said_[object] = {trouble, now};
    return true;
  }

 private:
  struct Said {
    std::string trouble;
    Instant at{};
  };
  std::mutex mutex_;
  std::map<kube::ObjectKey, Said> said_;
};

/// The reconcilers of jobs and of policies.
struct Reconcilers {
  Reconciler& jobs;
  Reconciler& policies;  ///< keys without a namespace
};

/// Takes keys of jobs and policies from a queue and reconciles them, several at a time. For one
/// owner.
class Controller {
 public:
  /// `may_act`: whether this process may still act as leader; asked before each reconciliation. All
  /// must outlive the controller.
  Controller(kube::WorkQueue& queue, const Reconcilers& reconcilers, OperatorMetrics& metrics,
             const Clock& clock, std::function<bool()> may_act)
      : queue_(queue),
        reconcilers_(reconcilers),
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
  void Reconcile(const kube::ObjectKey& key);

  kube::WorkQueue& queue_;
  const Reconcilers reconcilers_;
  OperatorMetrics& metrics_;
  const Clock& clock_;
  const std::function<bool()> may_act_;
  RepeatedErrorFilter repeated_errors_;
  std::vector<std::jthread> threads_;
};

}  // namespace evenkeel::controller
