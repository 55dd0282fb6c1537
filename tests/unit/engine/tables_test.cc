// The coordinator's tables of streams and of ages.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "core/base/rng.h"
#include "core/engine/age_list.h"
#include "core/engine/stream_table.h"

namespace evenkeel::engine {
namespace {

using scheduling::WorkerId;
using std::chrono::seconds;

TEST(StreamTable, IsAnOrderedMap) {
  Rng rng(1);
  StreamTable table;
  std::map<StreamId, WorkerId> expected;
  for (std::uint32_t step = 0; step < 2000; ++step) {
    const StreamId stream{rng.Below(50)};
    const WorkerId* const found = table.Find(stream);
    ASSERT_EQ(found != nullptr, expected.contains(stream));
    if (found) {
      ASSERT_EQ(*found, expected[stream]);
    }
    if (!found && rng.Chance(0.7)) {
      table.Put(stream, {step});
      expected[stream] = {step};
    } else {
      table.Erase(stream);
      expected.erase(stream);
    }
    const std::map<StreamId, WorkerId> all(table.begin(), table.end());
    ASSERT_EQ(all, expected);
  }
}

TEST(AgeList, TheOldestAreInFrontInTheOrderOfTheirNumbers) {
  Rng rng(2);
  AgeList list;
  std::map<WorkerId, Instant> expected;
  Instant now{seconds(1)};
  for (int step = 0; step < 2000; ++step) {
    if (rng.Chance(0.3)) now += seconds(1);
    const WorkerId worker{static_cast<std::uint32_t>(rng.Below(20))};
    if (rng.Chance(0.5)) {
      list.Renew(worker, now);
      expected[worker] = now;
    } else {
      list.Remove(worker);
      expected.erase(worker);
    }
    std::map<Instant, std::vector<WorkerId>> by_age;
    for (const auto& [each, since] : expected) by_age[since].push_back(each);
    ASSERT_EQ(list.Oldest().has_value(), !by_age.empty());
    if (by_age.empty()) continue;
    ASSERT_EQ(*list.Oldest(), by_age.begin()->first);
    ASSERT_EQ(list.AllOldest(), by_age.begin()->second);
  }
}

TEST(AgeList, ShiftsAllTimesButNotBeyondNow) {
  AgeList list;
  list.Renew(WorkerId{0}, Instant{seconds(1)});
  list.Renew(WorkerId{1}, Instant{seconds(9)});
  list.Shift(seconds(5), Instant{seconds(10)});
  EXPECT_EQ(*list.Oldest(), Instant{seconds(6)});
  list.Remove(WorkerId{0});
  EXPECT_EQ(*list.Oldest(), Instant{seconds(10)});
}

}  // namespace
}  // namespace evenkeel::engine
