#pragma once

#include "operator/plan/plan_builder.h"

namespace evenkeel::plan {

/// Sets Complete or Failed, with completionTime, if the job is over: its spec cannot be worked
/// with, the coordinator says that all is done or lost, or the deadline has passed. The deadline
/// counts from startTime, which a resumption sets anew (as in batch/v1). Otherwise looks again when
/// the deadline passes.
void EndIfOver(PlanBuilder& builder);

/// True once something has been created for the job.
[[nodiscard]] bool HasStarted(const PlanBuilder& builder);

/// Works towards no pods with all progress kept, for a job with spec.suspend.
///
/// The coordinator is asked to drain: it takes no more results in after that. With a claim its
/// journal is safe there and all pods are deleted. Without one, the journal is first kept in the
/// ConfigMap NAME-snapshot. Suspended becomes True when no pod is left.
void Suspend(PlanBuilder& builder);

/// True if this generation's suspension was refused because what is to be kept is too large: the
/// job goes on and says so.
[[nodiscard]] bool SuspensionRefused(const PlanBuilder& builder);

/// For a job that runs: brings the condition Suspended up to date, and a coordinator that was
/// drained for a suspension that did not come about back to work. True if that one's pod is
/// replaced for it: the next one goes on where it stopped.
[[nodiscard]] bool UndoSuspension(PlanBuilder& builder);

/// What is left to do for a job that is over. Workers end by themselves when all is done; those
/// that do not are deleted, and at once when the job failed. The coordinator stays to serve the
/// results until the job is deleted, which happens when its time to live ends. No pod is created.
void FinishUp(PlanBuilder& builder);

/// The time at which the job was found to be over.
[[nodiscard]] platform::Timestamp FinishedAt(const cluster::JobStatus& status);

}  // namespace evenkeel::plan
