#include "core/scheduling/node_links.h"

#include <gtest/gtest.h>

namespace evenkeel::scheduling {
namespace {

using Way = std::vector<WorkerId>;

TEST(NodeLinks, WithoutLinksAllAreNeighbors) {
  const NodeLinks links;
  EXPECT_TRUE(links.Neighbors({0}, {7}));
  EXPECT_EQ(links.Route({0}, {7}), (Way{{7}}));
  EXPECT_FALSE(links.Rate({0}, {7}));
}

TEST(NodeLinks, WaysAreAlongTheFewestLinks) {
  NodeLinks links;
  links.Add({0}, {1}, 100);
  links.Add({2}, {1}, 50);
  links.Add({2}, {3}, 100);
  links.Add({3}, {0}, 100);
  links.Add({4}, {3}, 10);
  EXPECT_TRUE(links.Neighbors({1}, {2}));
  EXPECT_FALSE(links.Neighbors({0}, {2}));
  EXPECT_EQ(links.Route({0}, {2}), (Way{{1}, {2}}));
  EXPECT_EQ(links.Route({1}, {4}), (Way{{0}, {3}, {4}}));
  EXPECT_TRUE(links.Route({0}, {9}).empty());
  EXPECT_DOUBLE_EQ(*links.Rate({1}, {2}), 50);
  EXPECT_DOUBLE_EQ(*links.Rate({0}, {2}), 1 / (1.0 / 100 + 1.0 / 50));
  EXPECT_FALSE(links.Rate({0}, {9}));
}

}  // namespace
}  // namespace evenkeel::scheduling
