// Faults of the coordinator's own process and disk, and of the workers' clocks: no worker is lost
// for them, and they cost no more than the time in which nothing could run.
#include <gtest/gtest.h>

#include "tests/simulation/all_run_once.h"
#include "tests/support/example_simulations.h"

namespace evenkeel {
namespace {

using model::StrategyName;
using simulator::Fault;
using simulator::Outcome;
using simulator::Simulation;
using simulator::SimulationConfig;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kSeeds = 5;

struct RunResult {
  Outcome outcome;
  int workers_lost = 0;
};

RunResult RunToEnd(SimulationConfig config) {
  RunResult run;
  config.check_invariants = true;
  config.recorder.on_event = [&run](const model::TimelineEvent& event) {
    if (event.kind == model::TimelineEvent::Kind::kLost) ++run.workers_lost;
  };
  run.outcome = Simulation(std::move(config)).Run();
  ExpectAllRunOnce(run.outcome);
  return run;
}

class HostFault : public testing::TestWithParam<StrategyName> {
 protected:
  static SimulationConfig Config(std::uint64_t seed) {
    SimulationConfig config = support::SixteenWorkers(seed, false, false);
    config.job.balancing.strategy = GetParam();
    config.job.balancing.lease = seconds(4);
    return config;
  }

  // No worker is lost, and the makespan grows by at most `blocked` and a second.
  static void ExpectHarmless(const Fault& fault, Duration blocked,
                             std::size_t max_pending_bytes = 64 << 20) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      SimulationConfig config = Config(seed);
      config.max_pending_bytes = max_pending_bytes;
      const RunResult undisturbed = RunToEnd(config);
      config.faults.push_back(fault);
      const RunResult disturbed = RunToEnd(config);
      EXPECT_EQ(disturbed.workers_lost, 0);
      EXPECT_LE(ToSeconds(disturbed.outcome.makespan),
                ToSeconds(undisturbed.outcome.makespan + blocked) + 1);
    }
  }
};

TEST_P(HostFault, ACoordinatorStoppedFor30Seconds) {
  Fault stall;
  stall.kind = Fault::Kind::kStallCoordinator;
  stall.at = seconds(5);
  stall.lasts = seconds(30);
  ExpectHarmless(stall, stall.lasts);
}

/// A commit that begins 5 s after the start takes 20 s.
Fault SlowCommit() {
  Fault slow;
  slow.kind = Fault::Kind::kSlowDisk;
  slow.at = seconds(5);
  slow.lasts = milliseconds(500);
  slow.amount = seconds(20);
  return slow;
}

TEST_P(HostFault, ACommitThatTakes20Seconds) { ExpectHarmless(SlowCommit(), seconds(20)); }

TEST_P(HostFault, ACommitThatTakes20SecondsWithRoomForFewResults) {
  ExpectHarmless(SlowCommit(), seconds(20), 30);
}

TEST_P(HostFault, AClockThatJumpsAheadByAnHour) {
  Fault jump;
  jump.kind = Fault::Kind::kJumpClock;
  jump.node = 0;
  jump.at = seconds(5);
  jump.amount = std::chrono::hours(1);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimulationConfig config = Config(seed);
    config.faults.push_back(jump);
    EXPECT_EQ(RunToEnd(config).workers_lost, 0) << "seed " << seed;
  }
}

TEST_P(HostFault, ADiskThatFailsOnce) {
  Fault failure;
  failure.kind = Fault::Kind::kFailDisk;
  failure.at = seconds(5);
  failure.lasts = seconds(2);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimulationConfig config = Config(seed);
    config.faults.push_back(failure);
    EXPECT_EQ(RunToEnd(config).outcome.coordinator_starts, 2u) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, HostFault,
                         testing::Values(StrategyName::kTailStealing, StrategyName::kMasterSlave),
                         [](const auto& name) { return model::ToString(name.param); });

}  // namespace
}  // namespace evenkeel
