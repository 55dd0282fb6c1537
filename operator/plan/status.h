#pragma once

#include <optional>

#include "cluster/job_status.h"
#include "operator/plan/coordinator_health.h"
#include "operator/plan/plan_builder.h"
#include "operator/plan/weighting.h"
#include "operator/plan/worker_placement.h"

namespace evenkeel::plan {

/// When a status is to be written.
struct WriteRule {
  bool write = false;
  bool urgent = false;            ///< people may be waiting for it: a condition has changed
  std::optional<Duration> due{};  ///< if not now: after this time, unless something else happens
};

/// A status is written as rarely as people can bear, for a whole cluster's state may be on one SD
/// card: at once if a condition, the generation it is about or the jobs in status.after
/// change; otherwise at most every 10 s, 3 s if the estimate of the end has moved by a tenth of the
/// time that is left, or 5 % of progress; never when nothing has changed.
[[nodiscard]] WriteRule DecideStatusWrite(const cluster::JobStatus& known,
                                          const cluster::JobStatus& next, platform::Timestamp now,
                                          const std::optional<platform::Timestamp>& last_write);

/// True if a condition was added, or changed its status or reason, or if another node is excluded.
/// Other messages alone do not count.
[[nodiscard]] bool ConditionsDiffer(const cluster::Conditions& known,
                                    const cluster::Conditions& next);

/// Updates the figures of the status from the coordinator's report and the pods. Figures that the
/// coordinator does not report stay.
void ReportFigures(PlanBuilder& builder);

/// Ranges of indexes ("3,7-9") in at most `max_bytes` bytes. Truncated ranges end with the count of
/// all indexes: "3,7-9,... (12000 in all)".
[[nodiscard]] std::string CappedIndexes(const std::string& ranges, std::int64_t count,
                                        std::size_t max_bytes);

/// Inputs of the condition Progressing of a running job.
struct RunPicture {
  const CoordinatorAssessment& assessment;
  const WorkerInventory& inventory;
  const WorkerChanges& changes;
  const PolicyChoice& policy;
  std::int64_t first_attempt = 1;
};

/// Sets Progressing of a job that runs or is to run: the first thing that holds it up, or what
/// happened to it.
void SetProgressingCondition(PlanBuilder& builder, const RunPicture& picture);

/// Sets Progressing of a job that is suspended, is being suspended, or is over.
void MirrorTerminalCondition(PlanBuilder& builder);

/// Tells of every condition of the status that is new or has another status or reason than the one
/// the API server has.
void EmitConditionEvents(PlanBuilder& builder);

}  // namespace evenkeel::plan
