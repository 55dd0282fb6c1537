#pragma once

#include "operator/plan/draft.h"

namespace evenkeel::plan {

/// Tells of every condition of the status that is new or has another status or reason than the one
/// the API server has.
void TellOfConditions(Draft& draft);

}  // namespace evenkeel::plan
