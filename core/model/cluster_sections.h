#pragma once

#include "core/model/field_reader.h"

namespace evenkeel::model {

/// Checks what only the cluster has use for in a WeightedJob's spec: worker, inputs, resultStorage,
/// ttlSecondsAfterFinished. Nothing is kept.
void CheckClusterSections(FieldReader& spec);

/// Checks spec.nodes.tolerations, as in a pod.
void CheckTolerations(FieldReader& nodes);

/// Checks spec.taskPolicy.onExitCodes and .successPolicy.
void CheckTaskOutcomePolicies(FieldReader& task_policy);

}  // namespace evenkeel::model
