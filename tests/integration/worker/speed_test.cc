// Shares of a core, measured: CPU time of a busy process / wall time.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "coordinator/speed_control.h"
#include "core/base/clock.h"
#include "tests/integration/worker/child.h"
#include "tests/integration/worker/tiny_coordinator.h"

namespace evenkeel {
namespace {

using coordinator::CpuQuota;

/// Over a second and a half, beginning now.
double MeasuredShare(const Child& child) {
  const SteadyClock clock;
  const Instant begin = clock.Now();
  const Duration before = child.CpuTime();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // the time that is measured
  const Duration used = child.CpuTime() - before;
  return ToSeconds(used) / ToSeconds(clock.Now() - begin);
}

class CpuQuotaShare : public ::testing::TestWithParam<double> {};

TEST_P(CpuQuotaShare, ABusyProcessGetsItsShare) {
  auto quota = CpuQuota::Create("share-test", GetParam());
  if (!quota) GTEST_SKIP() << quota.error().message;
  Child busy({"/bin/sh", "-c", "while :; do :; done"});
  ASSERT_TRUE(quota->Enter(busy.Pid()));
  const double share = MeasuredShare(busy);
  RecordProperty("measured", std::to_string(share));
  EXPECT_NEAR(share / GetParam(), 1.0, 0.1);
  busy.Signal(SIGKILL);
  ASSERT_TRUE(busy.AwaitExit());
}

INSTANTIATE_TEST_SUITE_P(Shares, CpuQuotaShare, ::testing::Values(0.40, 0.0937));

TEST(CpuQuotaGroup, TheKernelTakesSmallAndLargeShares) {
  if (auto quota = CpuQuota::Create("any", 0.5); !quota) GTEST_SKIP() << quota.error().message;
  for (const double share : {CpuQuota::kLeastShare, 0.03, 1.0, 4.0}) {
    EXPECT_TRUE(CpuQuota::Create("share", share)) << share;
  }
}

TEST(CpuQuotaGroup, GoesWithItsOwnerAndAfterAKilledOne) {
  auto quota = CpuQuota::Create("owner-test", 0.5);
  if (!quota) GTEST_SKIP() << quota.error().message;
  const auto group = quota->EntryFile().parent_path();
  EXPECT_TRUE(std::filesystem::exists(group));
  { const CpuQuota owner = std::move(*quota); }
  EXPECT_FALSE(std::filesystem::exists(group));

  // A process that is gone: this one's child, reaped.
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  const auto left = group.parent_path() / ("evenkeel-" + std::to_string(gone) + "-left-over");
  ASSERT_TRUE(std::filesystem::create_directory(left));
  ASSERT_TRUE(CpuQuota::Create("next", 0.5));
  EXPECT_FALSE(std::filesystem::exists(left));
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
