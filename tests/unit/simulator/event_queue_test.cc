#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "core/base/rng.h"
#include "simulator/virtual_time.h"

namespace evenkeel::simulator {
namespace {

// By time, then as they were put in, whatever lane they were put into.
TEST(EventQueue, KeepsTheOrderOfTimeAndOfPuttingIn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    EventQueue queue;
    std::set<std::pair<Instant, std::uint64_t>> expected;
    std::uint64_t number = 0;
    for (int step = 0; step < 3000; ++step) {
      if (expected.empty() || rng.Chance(step < 1500 ? 0.7 : 0.3)) {
        Event event;
        event.at = Instant{Duration{rng.Between(step, step + 40)}};
        event.detail = number;
        queue.Put(event, static_cast<EventQueue::Lane>(rng.Below(3)));
        expected.emplace(event.at, number++);
      } else {
        ASSERT_EQ(queue.Front().detail, expected.begin()->second);
        const Event event = queue.Take();
        ASSERT_EQ(std::pair(event.at, event.detail), *expected.begin());
        expected.erase(expected.begin());
      }
      ASSERT_EQ(queue.Empty(), expected.empty());
    }
  }
}

TEST(Shelf, UsesPlacesAgain) {
  Shelf<int> shelf;
  const auto one = shelf.Put(1);
  const auto two = shelf.Put(2);
  EXPECT_EQ(shelf.Take(one), 1);
  EXPECT_EQ(shelf.Put(3), one);
  EXPECT_EQ(shelf.Take(two), 2);
  EXPECT_EQ(shelf.Take(one), 3);
}

}  // namespace
}  // namespace evenkeel::simulator
