#pragma once

#include <memory>
#include <optional>

#include "core/model/job_spec.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

/// A job as its manifest says it at some time.
struct JobVersion {
  model::JobSpec job;
  std::shared_ptr<const workloads::Workload> workload;
};

/// From where a run learns that its job has more tasks. Used by one thread.
class JobSource {
 public:
  virtual ~JobSource() = default;
  /// The job as it is now, if that may have changed since the run began or since the last call.
  [[nodiscard]] virtual std::optional<JobVersion> News() = 0;
  /// The last news could not be taken for now: they are to be told again.
  virtual void TellAgain() = 0;
};

}  // namespace evenkeel::coordinator
