#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/model/run_record.h"

/// summary.json: field names are a contract with users; docs and tests rely on them.
namespace evenkeel::report {

/// "Complete", "Failed", "Interrupted" or "Running".
[[nodiscard]] std::string_view StateName(model::JobState state);

/// Indented JSON with a line break at its end. Numbers that are not finite become null; bytes of
/// names and reasons that are not UTF-8 are replaced. kInternal if result_json is not an object.
[[nodiscard]] Result<std::string> SummaryToJson(const model::RunSummary& summary);

/// The inverse. kInvalidInput with one line that names the field and what is allowed. Unknown
/// fields are ignored, so that older readers take newer files.
[[nodiscard]] Result<model::RunSummary> SummaryFromJson(std::string_view text);

/// Writes the file whole or not at all. kStorageFull when there is no room.
Result<void> WriteSummary(const std::filesystem::path& path, const model::RunSummary& summary);

/// kUnavailable if there is no such file; kInvalidInput, beginning with the path, if it is wrong.
[[nodiscard]] Result<model::RunSummary> ReadSummary(const std::filesystem::path& path);

}  // namespace evenkeel::report
