#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::cli {

struct JobConversion {
  nlohmann::ordered_json job;  ///< a WeightedJob, with the fields that have a value
  /// A line "FIELD: ..." for each field of the Job that has no counterpart or means something else.
  std::vector<std::string> remarks;
};

/// Converts a Job of batch/v1 to a WeightedJob. Errors (kInvalidInput, one line "FIELD: what is
/// wrong"): the object is malformed, or nothing useful would be left of it, such as a Job without a
/// command or of two containers.
[[nodiscard]] Result<JobConversion> ConvertJob(const nlohmann::json& job);

}  // namespace evenkeel::cli
