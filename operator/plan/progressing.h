#pragma once

#include "operator/plan/coordinator_fate.h"
#include "operator/plan/draft.h"
#include "operator/plan/policy_choice.h"
#include "operator/plan/worker_placement.h"

namespace evenkeel::plan {

/// What the condition Progressing of a running job is made of.
struct RunPicture {
  const CoordinatorFate& fate;
  const WorkerCensus& census;
  const WorkerChanges& changes;
  const PolicyChoice& policy;
  std::int64_t first_attempt = 1;
};

/// Sets Progressing of a job that runs or is to run: the first thing that holds it up, or what
/// happened to it.
void SayHowItGoes(Draft& draft, const RunPicture& picture);

/// Sets Progressing of a job that is suspended, is being suspended, or is over.
void SayItRests(Draft& draft);

}  // namespace evenkeel::plan
