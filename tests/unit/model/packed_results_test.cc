#include "core/model/packed_results.h"

#include <gtest/gtest.h>

namespace evenkeel::model {
namespace {

TEST(PackedResults, EqualSizesNeedNoList) {
  PackedResults packed;
  packed.Append("ab");
  packed.Append("cd");
  EXPECT_TRUE(packed.AllSizesEqual());
  EXPECT_EQ(packed.At(1), "cd");
  EXPECT_EQ(packed, PackedResults::OfEqualSize(2, 2, "abcd"));
}

TEST(PackedResults, SizesMayDifferAndBeNothing) {
  PackedResults packed;
  for (const char* result : {"ab", "", "xyz"}) packed.Append(result);
  EXPECT_FALSE(packed.AllSizesEqual());
  EXPECT_EQ(packed.At(0), "ab");
  EXPECT_EQ(packed.At(1), "");
  EXPECT_EQ(packed.At(2), "xyz");
  EXPECT_EQ(packed, PackedResults::OfSizes({2, 0, 3}, "abxyz"));
}

TEST(PackedResults, IsCutAtTaskBoundaries) {
  const PackedResults packed = PackedResults::OfSizes({1, 2, 3}, "abbccc");
  EXPECT_EQ(packed.Slice(1, 3), PackedResults::OfSizes({2, 3}, "bbccc"));
  EXPECT_EQ(packed.Slice(1, 1).Count(), 0);
}

TEST(PackedResults, AppendingKeepsEachResult) {
  PackedResults packed = PackedResults::OfEqualSize(2, 1, "ab");
  packed.Append(PackedResults::OfEqualSize(1, 1, "c"));
  EXPECT_TRUE(packed.AllSizesEqual());
  packed.Append(PackedResults::OfSizes({2, 1}, "dde"));
  EXPECT_EQ(packed, PackedResults::OfSizes({1, 1, 1, 2, 1}, "abcdde"));
}

}  // namespace
}  // namespace evenkeel::model
