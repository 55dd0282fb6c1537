#include "simulator/invariant_monitor.h"

#include <gtest/gtest.h>

namespace evenkeel::simulator {
namespace {

TEST(InvariantMonitor, CountsRunsSideBySide) {
  InvariantMonitor monitor(4, 2);
  monitor.OnRunBegan(0, {0, 2});
  monitor.OnRunBegan(1, {2, 4});
  EXPECT_EQ(monitor.violations().side_by_side, 0);
  monitor.OnRunEnded(1, {2, 4});
  monitor.OnRunBegan(1, {1, 3});
  EXPECT_EQ(monitor.violations().side_by_side, 1) << "task 1 runs on both";
}

TEST(InvariantMonitor, AStalledNodeRunsNothingUntilItGoesOn) {
  InvariantMonitor monitor(1, 2);
  monitor.OnRunBegan(0, {0, 1});
  monitor.OnStalled(0, true);
  monitor.OnRunBegan(1, {0, 1});
  EXPECT_EQ(monitor.violations().side_by_side, 0);
  monitor.OnStalled(0, false);
  EXPECT_EQ(monitor.violations().side_by_side, 1);
}

engine::Progress ProgressOf(std::int64_t durable, double ratio, std::int64_t tasks) {
  engine::Progress progress;
  progress.tasks_completed = durable;
  progress.cost_done_ratio = ratio;
  progress.tasks_total = tasks;
  return progress;
}

TEST(InvariantMonitor, CountsLossesOfProgress) {
  InvariantMonitor monitor(0, 0);
  monitor.OnProgress(ProgressOf(3, 0.5, 10), 1);
  monitor.OnProgress(ProgressOf(3, 0.4, 10), 2);  // a restart forgets what was not durable
  monitor.OnProgress(ProgressOf(3, 0.3, 20), 2);  // tasks were appended
  EXPECT_EQ(monitor.violations().progress_losses, 0);
  monitor.OnProgress(ProgressOf(3, 0.2, 20), 2);
  EXPECT_EQ(monitor.violations().progress_losses, 1);
  monitor.OnProgress(ProgressOf(2, 0.2, 20), 3);
  EXPECT_EQ(monitor.violations().progress_losses, 2);
}

TEST(InvariantMonitor, CountsRetriesWhereTheTaskHadFailed) {
  InvariantMonitor monitor(1, 2);
  engine::Progress progress;
  progress.nodes.resize(2);
  progress.nodes[0].name = "a";
  progress.nodes[1].name = "b";
  progress.nodes[0].connected = progress.nodes[1].connected = true;
  monitor.OnFailureRecorded(0, "a");
  monitor.OnRetryLeased(0, "b", progress);
  EXPECT_EQ(monitor.violations().retried_in_place, 0);
  monitor.OnRetryLeased(0, "a", progress);
  EXPECT_EQ(monitor.violations().retried_in_place, 1);
  progress.nodes[1].connected = false;
  monitor.OnRetryLeased(0, "a", progress);
  EXPECT_EQ(monitor.violations().retried_in_place, 1) << "no other node is connected";
  progress.nodes[1].connected = true;
  monitor.OnCoordinatorStarted();
  monitor.OnRetryLeased(0, "a", progress);
  EXPECT_EQ(monitor.violations().retried_in_place, 1) << "a new coordinator knows of no failure";
}

}  // namespace
}  // namespace evenkeel::simulator
