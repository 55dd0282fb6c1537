#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operator/plan/plan_builder.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::plan {

/// The job of that name in the namespace; null if there is none.
using FindJob = std::function<std::shared_ptr<const cluster::WeightedJob>(const std::string& name)>;

/// The jobs that have to end before this one starts: those of spec.after, then that of spec.rerun.
[[nodiscard]] std::vector<std::string> AwaitedJobs(const model::JobSpec& spec);

/// Whether the job waits for the one of that name: it is one of AwaitedJobs, status.after has not
/// recorded its end yet, and the job itself is not over.
[[nodiscard]] bool WaitsFor(const cluster::WeightedJob& job, const std::string& name);

/// The job as those see it that wait for it.
[[nodiscard]] Dependency ReadDependency(const cluster::WeightedJob& job);

/// Collects the state of AwaitedJobs, and whether the results of the job of spec.rerun can be taken
/// over. Looks for a circle only when one can come into view: as long as the job has no condition,
/// because AwaitedJobs never change, so that the last job of a circle closes it with its creation;
/// and when an awaited job has failed for a circle. `is_named`: another job waits for this one. The
/// search visits at most 1,000 jobs; larger circles are not found.
[[nodiscard]] Dependencies CollectDependencies(const cluster::WeightedJob& job, bool is_named,
                                               const FindJob& find);

/// For a job that has not started: records in status.after which jobs of spec.after are Complete,
/// and the job of spec.rerun if it has ended. Sets Failed if another job of spec.after has failed,
/// if jobs wait for each other, or if the results for spec.rerun cannot be taken over.
void CheckDependencies(PlanBuilder& builder);

/// True while a job has not started because awaited jobs have not ended yet, or because the API
/// server has not recorded that they have: they may be deleted by the time it has started. Call
/// it after CheckDependencies().
[[nodiscard]] bool WaitsForDependencies(const PlanBuilder& builder);

/// Sets Progressing of a job that waits: which jobs it waits for, without figures that change all
/// the time.
void WaitForDependencies(PlanBuilder& builder);

}  // namespace evenkeel::plan
