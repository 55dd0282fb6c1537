#pragma once

#include <optional>
#include <string>

#include "coordinator/journal.h"
#include "coordinator/sqlite_database.h"

/// The table of journal.db with the runs of the reduce command; ReduceStore describes the
/// functions. The table is created with the first run. Not thread-safe.
namespace evenkeel::coordinator {

[[nodiscard]] Result<ReduceHistory> ReadReduceRuns(const Database& database,
                                                   const std::string& command);
[[nodiscard]] Result<void> InsertReduceRun(Database& database, const std::string& command);
[[nodiscard]] Result<void> EndReduceRun(const Database& database,
                                        const std::optional<model::ReduceRecord>& record);
[[nodiscard]] Result<void> RemoveFailedReduceRuns(const Database& database);
/// Removes all runs: the results change.
[[nodiscard]] Result<void> RemoveReduceRuns(Database& database);

}  // namespace evenkeel::coordinator
