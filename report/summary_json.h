#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/model/run_record.h"

/// summary.json. Its field names are a contract with users.
namespace evenkeel::report {

/// "Complete", "Failed", "Interrupted" or "Running".
[[nodiscard]] std::string_view StateName(model::JobState state);

/// Indented JSON with a final line break. Infinite numbers and NaN become null; invalid UTF-8 in
/// names and reasons is replaced. kInternal if result_json is not an object.
[[nodiscard]] Result<std::string> SummaryToJson(const model::RunSummary& summary);

/// The inverse. kInvalidInput with one line that names the field and what is allowed. Unknown
/// fields are ignored, so that older versions read newer files.
[[nodiscard]] Result<model::RunSummary> SummaryFromJson(std::string_view text);

/// Writes the file atomically. kStorageFull if the disk is full.
Result<void> WriteSummary(const std::filesystem::path& path, const model::RunSummary& summary);

/// kUnavailable if there is no such file; kInvalidInput, starting with the path, if it is invalid.
[[nodiscard]] Result<model::RunSummary> ReadSummary(const std::filesystem::path& path);

}  // namespace evenkeel::report
