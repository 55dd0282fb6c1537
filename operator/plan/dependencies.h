#pragma once

#include <functional>
#include <memory>
#include <string>

#include "operator/plan/plan_builder.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::plan {

/// The job of that name in the namespace; null if there is none.
using FindJob = std::function<std::shared_ptr<const cluster::WeightedJob>(const std::string& name)>;

/// Whether the job waits for the one of that name: spec.after names it, it was not seen Complete
/// yet, and the job itself is not over.
[[nodiscard]] bool WaitsFor(const cluster::WeightedJob& job, const std::string& name);

/// The job as those see it that name it in spec.after.
[[nodiscard]] Dependency ReadDependency(const cluster::WeightedJob& job);

/// Collects the state of the jobs in spec.after. Looks for a circle only when one can come into
/// view: as long as the job has no condition, because spec.after never changes, so that the last
/// job of a circle closes it with its creation; and when a job of spec.after has failed for a
/// circle. `is_named`: another job names this one in spec.after. The search visits at most 1,000
/// jobs; larger circles are not found.
[[nodiscard]] Dependencies CollectDependencies(const cluster::WeightedJob& job, bool is_named,
                                               const FindJob& find);

/// For a job that has not started: records in status.after which jobs of spec.after are Complete,
/// and sets Failed if one of the others has failed or if jobs wait for each other.
void CheckDependencies(PlanBuilder& builder);

/// True while a job has not started because jobs of spec.after are not complete yet, or because the
/// API server has not recorded that they are: they may be deleted by the time it has started. Call
/// it after CheckDependencies().
[[nodiscard]] bool WaitsForDependencies(const PlanBuilder& builder);

/// Sets Progressing of a job that waits: which jobs it waits for, without figures that change all
/// the time.
void WaitForDependencies(PlanBuilder& builder);

}  // namespace evenkeel::plan
