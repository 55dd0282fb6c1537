#pragma once

#include <memory>

#include "coordinator/journal.h"
#include "core/model/job_spec.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

/// Of the inputs of all tasks of a job: a worker may be leased all tasks at once, and what waits to
/// be sent to it is bounded.
inline constexpr std::int64_t kMaxAllInputBytes = 32 << 20;

/// What makes a journal this job's, with a digest of the tasks' inputs: a run that is resumed goes
/// on with the inputs that it began with or not at all. Looks at all inputs. kInvalidInput if one
/// or all of them are too large.
[[nodiscard]] Result<JobIdentity> IdentityOf(
    const model::JobSpec& job, const std::shared_ptr<const workloads::Workload>& workload);

/// Whether the job can be run as its manifest says, beyond what is wrong with either part alone:
/// kInvalidInput names the field.
[[nodiscard]] Result<void> CheckJob(const model::JobSpec& job, const workloads::Workload& workload);

}  // namespace evenkeel::coordinator
