#pragma once

#include "operator/plan/draft.h"

namespace evenkeel::plan {

/// Brings a job that is neither over nor suspended to run and keeps it running: its objects, the
/// coordinator, a worker on each node that is worth one.
void Run(Draft& draft);

}  // namespace evenkeel::plan
