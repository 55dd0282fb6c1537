#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/field_reader.h"
#include "core/model/job_spec.h"

namespace evenkeel::model {

/// Reads spec.worker.template into the members of `job` that come from there. Fields of a pod that
/// a job may not set are errors that say what to use instead; details of the allowed ones are left
/// to the API server.
void ReadPodTemplate(FieldReader pod_template, JobSpec& job);

/// Whether a key of labels or annotations is of a domain that the operator, kubelets and admission
/// controllers act on, and that a job must not set.
[[nodiscard]] bool IsReservedKey(std::string_view key);

/// The fields of securityContext that a job may set: who the process is.
[[nodiscard]] const std::vector<std::string>& SecurityFields();

}  // namespace evenkeel::model
