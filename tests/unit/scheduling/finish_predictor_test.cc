#include "core/scheduling/tail_stealing/finish_predictor.h"

#include <gtest/gtest.h>

namespace evenkeel::scheduling {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

double Level(const std::vector<Slot>& slots, std::int64_t tasks) {
  return ToSeconds(FinishLevel(slots, tasks) - Instant{});
}

TEST(FinishLevel, OneWorkerRunsThemOneAfterTheOther) {
  EXPECT_NEAR(Level({{Instant{seconds(2)}, seconds(3), 1}}, 4), 14, 0.01);
  EXPECT_NEAR(Level({{Instant{seconds(2)}, seconds(3), 4}}, 4), 5, 0.01);
}

TEST(FinishLevel, ASlowWorkerTakesNoTaskThatWouldOutlastTheOthers) {
  // By 3 s the fast one has run 3; the slow one, which needs 10 s, none.
  EXPECT_NEAR(Level({{Instant{}, seconds(1), 1}, {Instant{}, seconds(10), 1}}, 3), 3, 0.01);
}

TEST(FinishLevel, CountsWholeTasksOnly) {
  // 2 workers of 2 s and 3 s a task: 2, 3, 4, 6, 6 ... 4 tasks are done at 6 s, 3 at 4 s.
  const std::vector<Slot> slots{{Instant{}, seconds(2), 1}, {Instant{}, seconds(3), 1}};
  EXPECT_NEAR(Level(slots, 3), 4, 0.01);
  EXPECT_NEAR(Level(slots, 4), 6, 0.01);
}

TEST(FinishLevel, SpansManyOrdersOfMagnitude) {
  EXPECT_NEAR(Level({{Instant{}, Duration{1000}, 1}, {Instant{}, hours(1), 1}}, 1'000'000), 1,
              0.01);
}

}  // namespace
}  // namespace evenkeel::scheduling
