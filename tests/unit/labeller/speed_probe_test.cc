#include "labeller/speed_probe.h"

#include <gtest/gtest.h>

#include <ctime>

#include "core/model/names.h"
#include "labeller/board_look.h"
#include "tests/unit/labeller/boards.h"

namespace evenkeel::labeller {
namespace {

double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(SpeedProbe, IsPlausibleAndShort) {
  const double begin = CpuSeconds();
  const ProbeResult probe = ProbeSpeed();
  // Six samples; the bound is for emulators and sanitizers, whose cores are slow as well.
  EXPECT_LT(CpuSeconds() - begin, 6.0);
  EXPECT_GT(probe.units_per_second, 1e5);
  EXPECT_LT(probe.units_per_second, 1e11);
  EXPECT_GE(probe.noise, 0);
}

TEST(SpeedProbe, ScoreHasThreeDigits) {
  const struct {
    double rate;
    const char* want;
  } cases[] = {{521'437'999.0, "521000000"}, {99'960'000.0, "100000000"}, {12.6, "13"}, {1, "1"}};
  for (const auto& one : cases) {
    const auto score = ScoreOf({one.rate, 0.03});
    ASSERT_TRUE(score) << one.rate;
    EXPECT_EQ(score->value, one.want);
    EXPECT_TRUE(model::IsLabelValue(score->value));
    EXPECT_EQ(score->source, "median of 5 probes, 3.0 % apart");
  }
}

TEST(SpeedProbe, NoScoreFromNoiseOrNonsense) {
  EXPECT_FALSE(ScoreOf({5e8, 0.3}));
  EXPECT_FALSE(ScoreOf({0, 0}));
}

TEST(SpeedProbe, NotWhenTheMachineHasJustStartedOrIsBusy) {
  Board board;
  const RootedFiles files(board.Root());
  EXPECT_EQ(WhyNotProbe(files), "") << "nothing speaks against it";
  board.Write("/proc/uptime", "42.50 100.00\n");
  EXPECT_EQ(WhyNotProbe(files), "the machine has just started");
  board.Write("/proc/uptime", "86400.00 1.00\n").Write("/proc/loadavg", "1.70 1.00 1.00 1/99 7\n");
  board.Write("/proc/stat", "cpu  1 2\ncpu0 1 2\ncpu1 1 2\nintr 5\n");
  EXPECT_EQ(WhyNotProbe(files), "");
  board.Write("/proc/loadavg", "2.50 1.00 1.00 1/99 7\n");
  EXPECT_EQ(WhyNotProbe(files), "the load is 2.5, more than there are cores");
}

TEST(BoardLook, DefersTheProbeAndReportsIt) {
  Board board;
  board.Write("/proc/uptime", "1.00 1.00\n");
  const BoardLook look = LookAtBoard({board.Root(), "", true});
  EXPECT_TRUE(look.probe_put_off);
  EXPECT_FALSE(look.facts.labels.contains(kProbeScore));
  EXPECT_EQ(look.facts.notes.back(), "no speed probe now: the machine has just started");
}

TEST(BoardLook, NoProbeIfNoneIsWanted) {
  const Board board;
  const BoardLook look = LookAtBoard({board.Root(), "", false});
  EXPECT_FALSE(look.probe_put_off);
  EXPECT_FALSE(look.facts.labels.contains(kProbeScore));
}

}  // namespace
}  // namespace evenkeel::labeller
