#pragma once

#include "operator/plan/plan_builder.h"

namespace evenkeel::plan {

/// Sets Failed. A job that was suspended is not any more: at most one of these conditions is True.
void Fail(PlanBuilder& builder, const std::string& reason, std::string message);

/// Sets Complete or Failed, with completionTime, if the job is over: its spec cannot be worked
/// with, the coordinator says that all is done or lost, or the deadline has passed. The deadline
/// counts from startTime, which a resumption sets anew (as in batch/v1). Otherwise looks again when
/// the deadline passes.
void EndIfOver(PlanBuilder& builder);

/// True once something has been created for the job.
[[nodiscard]] bool HasStarted(const PlanBuilder& builder);

/// Removes the pods of a job with spec.suspend and keeps its progress.
///
/// First the coordinator drains; it then accepts no more results. With a claim its journal is safe
/// there and all pods are deleted. Without one, the journal is first copied to the
/// ConfigMap NAME-snapshot. Suspended becomes True when no pod is left.
void Suspend(PlanBuilder& builder);

/// True if this generation's suspension was refused because the snapshot is too large: the job
/// continues, and its condition Suspended has the reason.
[[nodiscard]] bool SuspensionRefused(const PlanBuilder& builder);

/// For a running job: updates the condition Suspended, and makes a coordinator work again that was
/// drained for a suspension that was withdrawn. True if that one's pod is
/// replaced for it: the next one goes on where it stopped.
[[nodiscard]] bool UndoSuspension(PlanBuilder& builder);

/// True while the coordinator of a job whose tasks are all done runs the reduce command. Until it
/// has answered this operator, the condition Progressing tells.
[[nodiscard]] bool RunsReduce(const PlanBuilder& builder);

/// For a job of which RunsReduce is true and that is not to be suspended: removes the workers and
/// waits. The reduce command runs in the pod of the coordinator, which tries it again and reports
/// how the job ends.
void AwaitReduce(PlanBuilder& builder);

/// Cleans up after a finished job. Workers exit by themselves when all tasks are done; those that
/// do not are deleted, and all at once when the job failed. The coordinator stays to serve the
/// results until the job is deleted, which happens when its time to live ends and no other job
/// still has to record its end. No pod is created.
void FinishUp(PlanBuilder& builder);

/// The time at which the job was found to be over.
[[nodiscard]] platform::Timestamp FinishedAt(const cluster::JobStatus& status);

}  // namespace evenkeel::plan
