#pragma once

#include "core/model/field_reader.h"
#include "core/model/job_spec.h"

namespace evenkeel::model {

/// Checks the sections of a WeightedJob's spec that only a cluster uses: worker, inputs,
/// resultStorage, ttlSecondsAfterFinished. Fills the members of `job` that come from there.
void ReadClusterSections(FieldReader& spec, JobSpec& job);

/// Checks spec.nodes.tolerations, as in a pod.
void CheckTolerations(FieldReader& nodes);

}  // namespace evenkeel::model
