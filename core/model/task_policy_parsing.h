#pragma once

#include "core/model/field_reader.h"
#include "core/model/task_policy.h"

namespace evenkeel::model {

/// Reads spec.taskPolicy; errors are reported to `fields`.
void ReadTaskPolicy(FieldReader fields, TaskPolicy& policy);

}  // namespace evenkeel::model
