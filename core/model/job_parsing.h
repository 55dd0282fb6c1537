#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/model/job_spec.h"

namespace evenkeel::model {

class FieldReader;

/// The workload that runs a command of the user.
inline constexpr std::string_view kCommandWorkload = "command";

/// Reads the manifest of a WeightedJob. Checks all fields, including those that a local run does
/// not use (worker, inputs, resultStorage, ...); status is ignored. The workload's parameters are
/// not checked here: they become canonical JSON in JobSpec::workload_parameters. Errors
/// (kInvalidInput) are one line "FILE: FIELD: what is wrong".
[[nodiscard]] Result<JobSpec> ParseJob(const std::string& yaml_text, const std::string& file_name);

/// The same from a parsed document, e.g. an object of the API server. Errors are
/// one line "FIELD: what is wrong".
[[nodiscard]] Result<JobSpec> ReadJob(const nlohmann::json& document);

/// Reads spec.balancing. Absent fields keep their value in `spec`. Only the chosen
/// strategy may have a member with options.
void ReadBalancing(FieldReader balancing, BalancingSpec& spec);

/// The same without `strategy`, which the caller reads. The options of all strategies are allowed.
void ReadBalancingOptions(FieldReader balancing, BalancingSpec& spec);

}  // namespace evenkeel::model
