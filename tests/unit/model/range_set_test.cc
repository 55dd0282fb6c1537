#include "core/model/range_set.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/rng.h"

namespace evenkeel::model {
namespace {

TEST(RangeSet, JoinsRangesThatTouch) {
  RangeSet set;
  set.Insert({0, 3});
  set.Insert({5, 8});
  set.Insert({3, 5});
  EXPECT_EQ(set.Ranges(), (std::vector<IndexRange>{{0, 8}}));
  EXPECT_EQ(set.Size(), 8);
}

TEST(RangeSet, EraseSplitsARange) {
  RangeSet set(IndexRange{0, 10});
  set.Erase({4, 6});
  EXPECT_EQ(set.Ranges(), (std::vector<IndexRange>{{0, 4}, {6, 10}}));
  EXPECT_EQ(set.Missing({2, 8}), (std::vector<IndexRange>{{4, 6}}));
  EXPECT_EQ(set.Within({2, 8}), (std::vector<IndexRange>{{2, 4}, {6, 8}}));
  EXPECT_EQ(set.FirstMissing({2, 8}), 4);
  EXPECT_EQ(set.FirstMissing({4, 8}), 4);
  EXPECT_EQ(set.FirstMissing({2, 4}), std::nullopt);
  EXPECT_EQ(set.FirstMissing({5, 5}), std::nullopt);
}

TEST(RangeSet, BehavesLikeAPlainSetUnderRandomChanges) {
  Rng rng(7);
  RangeSet ranges;
  std::set<TaskIndex> plain;
  for (int step = 0; step < 3000; ++step) {
    const TaskIndex begin = rng.Between(0, 60);
    const IndexRange range{begin, begin + rng.Between(0, 9)};
    const bool insert = rng.Chance(0.5);
    insert ? ranges.Insert(range) : ranges.Erase(range);
    for (TaskIndex i = range.begin; i < range.end; ++i)
      insert ? (void)plain.insert(i) : (void)plain.erase(i);

    ASSERT_EQ(ranges.Size(), static_cast<std::int64_t>(plain.size()));
    for (TaskIndex i = -1; i < 72; ++i) ASSERT_EQ(ranges.Contains(i), plain.contains(i));
    TaskIndex last_end = -1;
    ranges.ForEach([&last_end](IndexRange r) {
      ASSERT_LT(last_end, r.begin) << "ranges must be maximal";
      ASSERT_LT(r.begin, r.end);
      last_end = r.end;
    });
  }
}

TEST(RangeSet, IndexStringIsThatOfIndexedJobs) {
  RangeSet set;
  set.Insert({1, 2});
  set.Insert({3, 6});
  set.Insert({9, 10});
  EXPECT_EQ(ToIndexString(set, 10), "1,3-5,9");
  EXPECT_EQ(ToIndexString(set, 2), "1,3-5,...");
  EXPECT_EQ(ParseIndexString("1,3-5,9"), set);
  EXPECT_EQ(ParseIndexString("9,3-3,4-5,1"), set);
}

TEST(RangeSet, RejectsInvalidIndexStrings) {
  for (const char* text : {"", ",", "1,", "-1", "1-", "3-1", "1--2", "a", "1 ,2", "1,3-5,...",
                           "99999999999999999999", "1-2-3"}) {
    EXPECT_FALSE(ParseIndexString(text)) << text;
  }
}

TEST(RangeSet, AListOfAUserNamesEachIndexOnce) {
  RangeSet set(IndexRange{7, 10});
  set.Insert({3, 4});
  EXPECT_EQ(ParseIndexList("3,7-9"), set);
  EXPECT_EQ(ParseIndexList("8-9,7,3"), set);
  for (const char* text : {"3,7-9,8", "8,7-9", "8,8"}) {
    const auto list = ParseIndexList(text);
    ASSERT_FALSE(list) << text;
    EXPECT_EQ(list.error().message, "must name each task once, names 8 twice");
  }
  for (const char* text : {"", "7-", "9-7", "3;4", "all", "-3"}) {
    const auto list = ParseIndexList(text);
    ASSERT_FALSE(list) << text;
    EXPECT_EQ(list.error().message,
              std::string("must be indexes and ranges of them such as 3,7-9, is \"") + text + "\"");
  }
}

}  // namespace
}  // namespace evenkeel::model
