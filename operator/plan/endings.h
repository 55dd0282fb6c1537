#pragma once

#include "operator/plan/draft.h"

namespace evenkeel::plan {

/// Sets Complete or Failed, with completionTime, if the job is over: its spec cannot be worked
/// with, the coordinator says that all is done or lost, or the deadline has passed. The deadline
/// counts from startTime, which a resumption sets anew (as in batch/v1). Otherwise looks again when
/// the deadline passes.
void EndIfOver(Draft& draft);

}  // namespace evenkeel::plan
