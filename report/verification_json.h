#pragma once

#include <optional>
#include <string>

#include "core/model/run_record.h"
#include "report/json_reader.h"

/// The field `verification` of summary.json and of a coordinator's progress.
namespace evenkeel::report {

/// At most 64 of the nodes that were left out, the first ones.
[[nodiscard]] Json VerificationToJson(const model::VerificationSummary& verification);

/// From the field `verification` of `object`; nothing if it is absent or null. Sets `problem` as
/// JsonReader does.
[[nodiscard]] std::optional<model::VerificationSummary> VerificationFromJson(const Json& object,
                                                                             std::string& problem);

}  // namespace evenkeel::report
