#include "core/scheduling/data_holders.h"

#include <gtest/gtest.h>

namespace evenkeel::scheduling {
namespace {

using Holders = std::vector<WorkerId>;

TEST(DataHolders, RangesAreCutWhereTheHoldersChange) {
  DataHolders holders;
  EXPECT_TRUE(holders.Empty());
  holders.Add({0}, {10, 20});
  holders.Add({2}, {15, 30});
  holders.Add({1}, {40, 40});  // nothing
  const auto parts = holders.Split({5, 45});
  ASSERT_EQ(parts.size(), 5u);
  const model::IndexRange ranges[] = {{5, 10}, {10, 15}, {15, 20}, {20, 30}, {30, 45}};
  const Holders held[] = {{}, {{0}}, {{0}, {2}}, {{2}}, {}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].range, ranges[i]);
    EXPECT_EQ(parts[i].holders, held[i]);
  }
  ASSERT_EQ(holders.Split({12, 14}).size(), 1u);
  EXPECT_EQ(holders.Split({12, 14})[0].holders, Holders{{0}});
  EXPECT_TRUE(holders.Split({12, 12}).empty());
}

TEST(DataHolders, OneHolderIsAskedFor) {
  DataHolders holders;
  holders.Add({3}, {10, 20});
  holders.Add({3}, {20, 25});
  EXPECT_EQ(holders.Of({3}), model::RangeSet({10, 25}));
  EXPECT_TRUE(holders.Of({0}).Empty());
  EXPECT_TRUE(DataHolders::None().Empty());
}

}  // namespace
}  // namespace evenkeel::scheduling
