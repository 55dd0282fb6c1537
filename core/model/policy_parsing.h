#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/error.h"
#include "core/model/weighting_policy.h"

namespace evenkeel::model {

/// Reads a WeightingPolicy. The result is valid: names of criteria are unique, thresholds ascend
/// and have known terms, exponents are above 0 and their sum is at most 20. Errors
/// (kInvalidInput) are one line "FILE: FIELD: what is wrong".
[[nodiscard]] Result<WeightingPolicy> ParsePolicy(const std::string& yaml_text,
                                                  const std::string& file_name);

/// The same from a parsed document, e.g. an object of the API server. Errors are
/// one line "FIELD: what is wrong".
[[nodiscard]] Result<WeightingPolicy> ReadPolicy(const nlohmann::json& document);

}  // namespace evenkeel::model
