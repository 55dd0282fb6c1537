#pragma once

#include "core/model/field_reader.h"
#include "core/model/task_policy.h"

namespace evenkeel::model {

/// Reads spec.taskPolicy; errors as FieldReader gives them.
void ReadTaskPolicy(FieldReader fields, TaskPolicy& policy);

}  // namespace evenkeel::model
