#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "simulator/simulation.h"

namespace evenkeel {

/// The job is complete, each task's result counted once, and nothing that was durable was lost or
/// leased again.
inline void ExpectAllRunOnce(const simulator::Outcome& outcome) {
  EXPECT_EQ(outcome.state, model::JobState::kComplete) << outcome.reason;
  EXPECT_TRUE(std::all_of(outcome.times_durable.begin(), outcome.times_durable.end(),
                          [](std::int64_t times) { return times == 1; }));
  EXPECT_EQ(outcome.violations.progress_losses, 0);
  EXPECT_EQ(outcome.violations.leased_though_durable, 0);
}

}  // namespace evenkeel
