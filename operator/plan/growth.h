#pragma once

#include "operator/plan/draft.h"

namespace evenkeel::plan {

/// A coordinator that works by an older workload than the job has now is to find the new one in its
/// volume soon. To be called once the plan has it.
void HandOverTasks(Draft& draft);

/// Of a job that is over: tasks that were appended too late are not run, and its condition says so.
void SayWhatIsNotRun(Draft& draft);

}  // namespace evenkeel::plan
