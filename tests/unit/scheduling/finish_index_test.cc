#include "core/scheduling/tail_stealing/finish_index.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "core/base/rng.h"

namespace evenkeel::scheduling {
namespace {

TEST(FinishIndex, IsAnOrderedSet) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    FinishIndex index;
    std::set<FinishIndex::Entry> expected;
    std::vector<Instant> times(static_cast<std::size_t>(rng.Between(1, 40)), kNever);
    for (int step = 0; step < 500; ++step) {
      const auto worker = static_cast<std::uint32_t>(rng.Below(times.size()));
      expected.erase({times[worker], {worker}});
      times[worker] = rng.Chance(0.3) ? kNever : Instant{Duration{rng.Between(0, 15)}};
      if (times[worker] != kNever) expected.emplace(times[worker], WorkerId{worker});
      index.Set({worker}, times[worker]);

      ASSERT_EQ(index.Empty(), expected.empty());
      std::vector<FinishIndex::Entry> downwards;
      FinishIndex::FromLatest order(index);
      for (FinishIndex::Entry entry; order.Next(entry);) downwards.push_back(entry);
      ASSERT_EQ(downwards, std::vector<FinishIndex::Entry>(expected.rbegin(), expected.rend()));
      if (expected.empty()) continue;
      ASSERT_EQ(index.Earliest(), *expected.begin());
      ASSERT_EQ(index.Latest(), *expected.rbegin());
    }
  }
}

}  // namespace
}  // namespace evenkeel::scheduling
