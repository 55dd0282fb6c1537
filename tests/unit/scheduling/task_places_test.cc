#include "core/scheduling/task_places.h"

#include <gtest/gtest.h>

namespace evenkeel::scheduling {
namespace {

using Way = std::vector<WorkerId>;

TEST(TaskPlaces, RangesAreCutWhereThePlaceChanges) {
  TaskPlaces places;
  EXPECT_TRUE(places.Empty());
  places.Put({10, 20}, {0});
  places.Put({20, 30}, {2});
  places.Put({40, 40}, {1});  // nothing
  const auto parts = places.Split({5, 45});
  ASSERT_EQ(parts.size(), 4u);
  const model::IndexRange ranges[] = {{5, 10}, {10, 20}, {20, 30}, {30, 45}};
  const std::optional<WorkerId> homes[] = {{}, WorkerId{0}, WorkerId{2}, {}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].range, ranges[i]);
    EXPECT_EQ(parts[i].home, homes[i]);
  }
  ASSERT_EQ(places.Split({12, 15}).size(), 1u);
  EXPECT_EQ(places.Split({12, 15})[0].home, WorkerId{0});
}

TEST(TaskPlaces, WithoutLinksAllAreNeighbours) {
  const TaskPlaces places;
  EXPECT_TRUE(places.Neighbours({0}, {7}));
  EXPECT_EQ(places.Route({0}, {7}), (Way{{7}}));
  EXPECT_FALSE(places.Rate({0}, {7}));
}

TEST(TaskPlaces, WaysAreAlongTheFewestLinks) {
  TaskPlaces places;
  places.Link({0}, {1}, 100);
  places.Link({2}, {1}, 50);
  places.Link({2}, {3}, 100);
  places.Link({3}, {0}, 100);
  places.Link({4}, {3}, 10);
  EXPECT_TRUE(places.Neighbours({1}, {2}));
  EXPECT_FALSE(places.Neighbours({0}, {2}));
  EXPECT_EQ(places.Route({0}, {2}), (Way{{1}, {2}}));
  EXPECT_EQ(places.Route({1}, {4}), (Way{{0}, {3}, {4}}));
  EXPECT_TRUE(places.Route({0}, {9}).empty());
  EXPECT_DOUBLE_EQ(*places.Rate({1}, {2}), 50);
  EXPECT_DOUBLE_EQ(*places.Rate({0}, {2}), 1 / (1.0 / 100 + 1.0 / 50));
  EXPECT_FALSE(places.Rate({0}, {9}));
}

}  // namespace
}  // namespace evenkeel::scheduling
