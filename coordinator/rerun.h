#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "coordinator/record_store.h"
#include "coordinator/sqlite_database.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "core/model/job_spec.h"

/// Reruns: some tasks of a job that has ended run again, and the results of the others stay. Both
/// are in one journal, so that everything that reads it sees one job.
namespace evenkeel::coordinator {

/// Takes tasks back, durably and in one transaction: their results, failures and confirmations are
/// removed, and the job is running again. Rows with results of other tasks are divided. Does
/// nothing if a rerun of the same selection has not ended, so that it goes on, or if the job is
/// complete and no task is selected. The caller has locked the journal, whose format is the newest.
/// kConflict, beginning with `shown`, if a rerun of other tasks has not ended.
[[nodiscard]] Result<void> TakeBackTasks(Database& database, const std::string& shown,
                                         const model::RerunSelection& selection);

/// The time on the job's time line at which the rerun began that has not ended; nothing if there is
/// none.
[[nodiscard]] Result<std::optional<Duration>> ReadStartOfRerun(const Database& database);

/// Creates `folder`/journal.db from the journal in `earlier`, the folder of the job `rerun.job`,
/// with the tasks of `rerun` taken back: atomically and durably. Does nothing if the folder has a
/// journal. Reads files in `earlier` without locking or changing them; the earlier job must have
/// ended. `identity`: of the new job. kInvalidInput, beginning with the path of the earlier
/// journal, if that is missing, damaged or of another workload; kUnavailable if it is being
/// written; kStorageFull.
[[nodiscard]] Result<void> SeedFromEarlierJob(const std::filesystem::path& earlier,
                                              const std::filesystem::path& folder,
                                              const JobIdentity& identity,
                                              const model::RerunSpec& rerun);

}  // namespace evenkeel::coordinator
