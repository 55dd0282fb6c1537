#pragma once

#include "core/model/job_spec.h"
#include "core/model/node_power.h"

namespace evenkeel::scheduling {

/// The part of it that counts for the job.
[[nodiscard]] inline double Counted(const model::NodeJoules& joules, model::IdlePower idle) {
  return joules.dynamic + (idle == model::IdlePower::kCounted ? joules.idle : 0.0);
}

/// The watts that count while the node works.
[[nodiscard]] inline double CountedWatts(const model::NodePower& power, model::IdlePower idle) {
  return idle == model::IdlePower::kCounted ? power.full_watts
                                            : power.full_watts - power.idle_watts;
}

}  // namespace evenkeel::scheduling
