#pragma once

#include <vector>

#include "core/model/field_reader.h"
#include "core/model/job_spec.h"

namespace evenkeel::model {

/// Checks the sections of a WeightedJob's spec that only a cluster uses: worker, inputs,
/// resultStorage, ttlSecondsAfterFinished. Returns spec.worker.template.env.
[[nodiscard]] std::vector<EnvironmentVariable> ReadClusterSections(FieldReader& spec);

/// Checks spec.nodes.tolerations, as in a pod.
void CheckTolerations(FieldReader& nodes);

}  // namespace evenkeel::model
