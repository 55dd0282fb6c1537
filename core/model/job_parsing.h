#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/error.h"
#include "core/model/job_spec.h"

namespace evenkeel::model {

class FieldReader;

/// Reads a WeightedJob as it is handed to the cluster. All fields of the manifest are checked, also
/// those that a run on one machine has no use for (worker, inputs, resultStorage, ...); status is
/// ignored. What the workload itself is told is not looked into: it becomes canonical JSON in
/// JobSpec::workload_parameters. Errors (kInvalidInput) are one line "FILE: FIELD: what is wrong".
[[nodiscard]] Result<JobSpec> ParseJob(const std::string& yaml_text, const std::string& file_name);

/// The same from a document that has been read already, e.g. an object of the API server. Errors
/// are one line "FIELD: what is wrong".
[[nodiscard]] Result<JobSpec> ReadJob(const nlohmann::json& document);

/// Reads the fields of spec.balancing; what is not there stays as `spec` has it.
void ReadBalancing(FieldReader balancing, BalancingSpec& spec);

}  // namespace evenkeel::model
