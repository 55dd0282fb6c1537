#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "coordinator/record_store.h"
#include "core/model/cost_model.h"
#include "core/model/job_spec.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

/// Maximum total size of the inputs of a job's tasks: one worker may be leased all tasks at once,
/// and the bytes that wait to be sent to it are bounded.
inline constexpr std::int64_t kMaxAllInputBytes = 32 << 20;

/// A job as its manifest described it at one time. Immutable: appending tasks makes a new version,
/// and holders of the old one keep a consistent view. Thread-safe.
class JobVersion {
 public:
  JobVersion(model::JobSpec spec, std::shared_ptr<const workloads::Workload> workload);

  [[nodiscard]] const model::JobSpec& spec() const { return spec_; }
  [[nodiscard]] const std::shared_ptr<const workloads::Workload>& workload() const {
    return workload_;
  }
  [[nodiscard]] std::int64_t TaskCount() const { return costs_->TaskCount(); }
  /// The costs as far as the scheduler may know them.
  [[nodiscard]] const std::shared_ptr<const model::CostModel>& costs() const { return costs_; }
  /// The workload parameters as workers receive them.
  [[nodiscard]] const std::string& worker_parameters() const { return worker_parameters_; }

 private:
  model::JobSpec spec_;
  std::shared_ptr<const workloads::Workload> workload_;
  std::shared_ptr<const model::CostModel> costs_;
  std::string worker_parameters_;
};
using SharedJobVersion = std::shared_ptr<const JobVersion>;

/// Where a run learns that tasks were appended to its job. Used by one thread; may block.
class JobSource {
 public:
  virtual ~JobSource() = default;
  /// The job as it is now, if it may have changed since the run began or since the last call.
  [[nodiscard]] virtual SharedJobVersion Poll() = 0;
  /// The version that Poll returned last could not be used yet: Poll returns it again.
  virtual void RetryLater() = 0;
};

/// The identity by which a journal belongs to this job. It includes a digest of the inputs of all
/// tasks, because a run is only resumed with the inputs it began with. Reads all inputs.
/// kInvalidInput if one of them, or all together, are too large.
[[nodiscard]] Result<JobIdentity> IdentityOf(const JobVersion& version);

/// The file in `folder` in which jobs of this job's profile keep the costs that they learned.
[[nodiscard]] std::filesystem::path LearnedCostsFile(const std::filesystem::path& folder,
                                                     const model::JobSpec& spec);

/// Checks what neither the manifest nor the workload can check alone: the success policy, the
/// verified share and the tasks of a rerun against the number of tasks, whether results can be
/// verified, the objective of jobs with ranges, and the size of the inputs. kInvalidInput names the
/// field.
[[nodiscard]] Result<void> CheckJob(const model::JobSpec& spec,
                                    const workloads::Workload& workload);

}  // namespace evenkeel::coordinator
