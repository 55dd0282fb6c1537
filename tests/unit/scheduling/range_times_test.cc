#include "core/scheduling/range_times.h"

#include <gtest/gtest.h>

#include "core/base/rng.h"

namespace evenkeel::scheduling {
namespace {

constexpr WorkerId kFast{0};
constexpr WorkerId kSlow{1};

class RangeTimesTest : public ::testing::Test {
 protected:
  RangeTimesTest() {
    times_.AddWorker();
    times_.AddWorker();
  }
  /// A run on a worker that takes `slowness` times 0.5 s to start and 5 ms per task.
  void Run(WorkerId worker, std::int64_t tasks, double slowness = 1) {
    times_.Observe(worker, tasks, slowness * (0.5 + 0.005 * static_cast<double>(tasks)));
  }
  RangeTimes times_;
};

TEST_F(RangeTimesTest, NothingIsKnownBeforeTheFirstRun) {
  EXPECT_FALSE(times_.Of(kFast));
  times_.Observe(kFast, 0, 1);
  times_.Observe(kFast, 10, 0);
  EXPECT_FALSE(times_.Of(kFast));
}

TEST_F(RangeTimesTest, OneRunDoesNotTellStartingFromWorking) {
  Run(kFast, 100);
  ASSERT_TRUE(times_.Of(kFast));
  EXPECT_EQ(times_.Of(kFast)->startup, 0);
  EXPECT_NEAR(times_.Of(kFast)->Of(100), 1.0, 1e-9);
}

TEST_F(RangeTimesTest, RunsOfTwoLengthsTellThemApart) {
  Run(kFast, 100);
  Run(kFast, 1'000);
  const auto time = times_.Of(kFast);
  EXPECT_NEAR(time->startup, 0.5, 0.15);
  EXPECT_NEAR(time->per_task, 0.005, 0.0002);
  EXPECT_NEAR(time->Of(5'000), 25.5, 1);
}

TEST_F(RangeTimesTest, AWorkerWithOneRunHasTheRatioOfTheOthers) {
  Run(kSlow, 50, 4);
  Run(kFast, 100);
  EXPECT_EQ(times_.Of(kSlow)->startup, 0);
  Run(kFast, 1'000);
  EXPECT_NEAR(times_.Of(kSlow)->startup, 2, 0.6);
  EXPECT_NEAR(times_.Of(kSlow)->Of(1'000), 22, 1.5);
}

// The card of one board is slow: starting takes 20 times as long there, working as long as
// elsewhere.
TEST_F(RangeTimesTest, AWorkerMayDepartFromTheCommonRatio) {
  for (const std::int64_t tasks : {100, 1'000, 400, 200}) {
    Run(kFast, tasks);
    times_.Observe(kSlow, tasks, 10 + 0.005 * static_cast<double>(tasks));
  }
  EXPECT_NEAR(times_.Of(kFast)->Of(500), 3, 0.3);
  EXPECT_NEAR(times_.Of(kSlow)->Of(500), 12.5, 1.5);
}

TEST_F(RangeTimesTest, NoiseOfAFewPercentDoesLittleHarm) {
  Rng rng(3);
  for (const std::int64_t tasks : {50, 800, 400, 200, 100}) {
    times_.Observe(kFast, tasks,
                   rng.Uniform(0.95, 1.05) * (0.5 + 0.005 * static_cast<double>(tasks)));
  }
  EXPECT_NEAR(times_.Of(kFast)->Of(500), 3, 0.3);
  EXPECT_NEAR(times_.Of(kFast)->startup, 0.5, 0.25);
}

// A board that throttles: its latest runs count.
TEST_F(RangeTimesTest, OldRunsAreForgotten) {
  for (int n = 0; n < 8; ++n) Run(kFast, 100 + 100 * n);
  for (int n = 0; n < 8; ++n) Run(kFast, 100 + 100 * n, 3);
  EXPECT_NEAR(times_.Of(kFast)->Of(500), 9, 0.5);
}

}  // namespace
}  // namespace evenkeel::scheduling
