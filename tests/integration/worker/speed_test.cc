// Shares of a core, measured: CPU time of a busy process / wall time.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "coordinator/control_groups.h"
#include "core/base/clock.h"
#include "tests/integration/worker/child.h"
#include "tests/integration/worker/tiny_coordinator.h"

namespace evenkeel {
namespace {

using coordinator::ControlGroups;
using coordinator::GroupLimits;

/// Over a second and a half, beginning now.
double MeasuredShare(const Child& child) {
  const SteadyClock clock;
  const Instant begin = clock.Now();
  const Duration before = child.CpuTime();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // the time that is measured
  const Duration used = child.CpuTime() - before;
  return ToSeconds(used) / ToSeconds(clock.Now() - begin);
}

class ControlGroupShare : public ::testing::TestWithParam<double> {};

TEST_P(ControlGroupShare, ABusyProcessGetsItsShare) {
  auto quota = ControlGroups::Create("share-test", {.cpu_share = GetParam()});
  if (!quota) GTEST_SKIP() << quota.error().message;
  Child busy({"/bin/sh", "-c", "while :; do :; done"});
  ASSERT_TRUE(quota->Enter(busy.Pid()));
  const double share = MeasuredShare(busy);
  RecordProperty("measured", std::to_string(share));
  EXPECT_NEAR(share / GetParam(), 1.0, 0.1);
  busy.Signal(SIGKILL);
  ASSERT_TRUE(busy.AwaitExit());
}

INSTANTIATE_TEST_SUITE_P(Shares, ControlGroupShare, ::testing::Values(0.40, 0.0937));

TEST(ControlGroup, TheKernelTakesSmallAndLargeShares) {
  auto quota = ControlGroups::Create("any", {.cpu_share = 0.5});
  if (!quota) GTEST_SKIP() << quota.error().message;
  for (const double share : {GroupLimits::kLeastShare, 0.03, 1.0, 4.0}) {
    EXPECT_TRUE(ControlGroups::Create("share", {.cpu_share = share})) << share;
  }
}

TEST(ControlGroup, GoesWithItsOwnerAndAfterAKilledOne) {
  auto quota = ControlGroups::Create("owner-test", {.cpu_share = 0.5});
  if (!quota) GTEST_SKIP() << quota.error().message;
  const auto group = quota->Folders().front();
  EXPECT_TRUE(std::filesystem::exists(group));
  { const ControlGroups owner = std::move(*quota); }
  EXPECT_FALSE(std::filesystem::exists(group));

  // A process that is gone: this one's child, reaped.
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  const auto left = group.parent_path() / ("evenkeel-" + std::to_string(gone) + "-left-over");
  ASSERT_TRUE(std::filesystem::create_directory(left));
  ASSERT_TRUE(ControlGroups::Create("next", {.cpu_share = 0.5}));
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST(ControlGroup, AProcessBeyondItsMemoryIsKilled) {
  auto groups = ControlGroups::Create("memory-test", {.cpu_share = 0.5, .memory_bytes = 32 << 20});
  if (!groups) GTEST_SKIP() << groups.error().message;
  Child greedy({"/bin/sh", "-c",
                "trap 'head -c 200M /dev/zero | tail -c 200M >/dev/null; exit $?' USR1; "
                "echo ready; while :; do :; done"});
  ASSERT_EQ(greedy.ReadLine(), "ready");
  ASSERT_TRUE(groups->Enter(greedy.Pid()));
  greedy.Signal(SIGUSR1);
  EXPECT_EQ(greedy.AwaitExit(), 128 + SIGKILL);
}

TEST(DutyCycleShare, AWorkerToldToPauseGetsItsShare) {
  for (const double share : {0.40, 0.0937}) {
    TinyCoordinator coordinator(
        "synthetic", R"({"tasks": 100000, "mode": "Spin", "cost": {"constant": 0.003}})", "");
    Child worker({EVENKEEL_WORKER, "--coordinator", coordinator.Address(), "--node", "pi",
                  "--workload", "synthetic", "--duty-cycle", std::to_string(share)});
    ASSERT_TRUE(coordinator.AwaitTasks(5));
    EXPECT_NEAR(MeasuredShare(worker) / share, 1.0, 0.1);
  }
}

}  // namespace
}  // namespace evenkeel
