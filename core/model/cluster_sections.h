#pragma once

#include <vector>

#include "core/model/field_reader.h"
#include "core/model/job_spec.h"

namespace evenkeel::model {

/// Checks what only the cluster has use for in a WeightedJob's spec: worker, inputs, resultStorage,
/// ttlSecondsAfterFinished. Nothing is kept but spec.worker.template.env, names and literal values.
[[nodiscard]] std::vector<EnvironmentVariable> ReadClusterSections(FieldReader& spec);

/// Checks spec.nodes.tolerations, as in a pod.
void CheckTolerations(FieldReader& nodes);

}  // namespace evenkeel::model
