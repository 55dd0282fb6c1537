#pragma once

#include "operator/plan/draft.h"

namespace evenkeel::plan {

/// What is left to do for a job that is over. Workers end by themselves when all is done; those
/// that do not are deleted, and at once when the job failed. The coordinator stays to serve the
/// results until the job is deleted, which happens when its time to live ends. No pod is created.
void FinishUp(Draft& draft);

/// The time at which the job was found to be over.
[[nodiscard]] api::Timestamp FinishedAt(const api::JobStatus& status);

}  // namespace evenkeel::plan
