#include "worker/duty_cycle.h"

#include <gtest/gtest.h>

#include "core/base/rng.h"

namespace evenkeel::worker {
namespace {

using std::chrono::milliseconds;

/// A made-up process whose time passes only here.
struct World {
  Duration cpu{};
  Duration wall{};
};

TEST(DutyCycle, WhatOtherProcessesUseForOneThreadIsPaidForByItAlone) {
  DutyCycle cycle(0.25, 2);
  // 10 ms of this process at half a core in all, 10 ms elsewhere at a quarter of a core.
  EXPECT_EQ(cycle.Spent(milliseconds(10), milliseconds(10), milliseconds(20)), milliseconds(40));
}

TEST(DutyCycle, TenMillisecondsOfWorkAtAQuarterAreFollowedByThirtyOfPause) {
  DutyCycle cycle(0.25, 1);
  EXPECT_EQ(cycle.Spent(milliseconds(10), {}, milliseconds(10)), milliseconds(30));
  EXPECT_EQ(cycle.Spent(Duration::zero(), {}, milliseconds(30)), Duration::zero());
}

TEST(DutyCycle, APauseThatTookTooLongShortensTheNext) {
  DutyCycle cycle(0.25, 1);
  EXPECT_EQ(cycle.Spent(milliseconds(10), {}, milliseconds(10)), milliseconds(30));
  EXPECT_EQ(cycle.Spent(Duration::zero(), {}, milliseconds(37)), Duration::zero());
  EXPECT_EQ(cycle.Spent(milliseconds(10), {}, milliseconds(10)), milliseconds(23));
}

TEST(DutyCycle, ALongWaitDoesNotBuyALongSprint) {
  DutyCycle cycle(0.5, 1);
  EXPECT_EQ(cycle.Spent(Duration::zero(), {}, std::chrono::seconds(10)), Duration::zero());
  // 100 ms of work cost 100 ms of pause, less 20 ms of credit.
  EXPECT_EQ(cycle.Spent(milliseconds(100), {}, milliseconds(100)), milliseconds(80));
}

TEST(DutyCycle, TheShareComesOutWhateverTheTasksAndTheSleepsAreLike) {
  for (const double share : {0.9, 0.4, 0.0937}) {
    DutyCycle cycle(share, 1);
    Rng rng(7);
    World world;
    for (int task = 0; task < 2000; ++task) {
      const Duration cpu = FromSeconds(rng.Uniform(0.0, 0.01));
      const Duration wall =
          cpu + FromSeconds(rng.Uniform(0.0, 0.0001));  // runs, and waits a little
      const Duration pause = cycle.Spent(cpu, {}, wall);
      const Duration slept = pause + FromSeconds(rng.Uniform(0.0, 0.001));  // wakes late
      world.cpu += cpu;
      world.wall += wall + slept;
      static_cast<void>(cycle.Spent(Duration::zero(), {}, slept));
    }
    EXPECT_NEAR(ToSeconds(world.cpu) / ToSeconds(world.wall) / share, 1.0, 0.01) << share;
  }
}

TEST(DutyCycle, ThreadsShareWhatTheProcessUses) {
  DutyCycle cycle(0.25, 2);  // of two threads, each of which sees both at work
  EXPECT_EQ(cycle.Spent(milliseconds(20), {}, milliseconds(10)), milliseconds(30));
}

}  // namespace
}  // namespace evenkeel::worker
