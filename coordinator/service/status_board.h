#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "coordinator/service/job_status.h"

namespace evenkeel::coordinator {

/// The latest status, published by the supervisor and read by the HTTP servers. No call waits.
/// Thread-safe.
class StatusBoard {
 public:
  [[nodiscard]] std::shared_ptr<const JobStatus> Read() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  void Publish(JobStatus status) {
    auto next = std::make_shared<const JobStatus>(std::move(status));
    const std::lock_guard lock(mutex_);
    status_.swap(next);
  }

  /// Whether requests can be answered: the process is neither starting nor about to end.
  [[nodiscard]] bool Ready() const { return ready_; }
  void SetReady(bool ready) { ready_ = ready; }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const JobStatus> status_ = std::make_shared<const JobStatus>();
  std::atomic<bool> ready_{false};
};

}  // namespace evenkeel::coordinator
