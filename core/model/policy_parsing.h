#pragma once

#include <string>

#include "core/base/error.h"
#include "core/model/weighting_policy.h"

namespace evenkeel::model {

/// Reads a WeightingPolicy. The result is valid: names of criteria differ, every threshold has a
/// known term and they ascend, the exponents are above 0 and at most 20 in sum. Errors
/// (kInvalidInput) are one line "FILE: FIELD: what is wrong".
[[nodiscard]] Result<WeightingPolicy> ParsePolicy(const std::string& yaml_text,
                                                  const std::string& file_name);

}  // namespace evenkeel::model
