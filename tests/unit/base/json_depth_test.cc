#include "core/base/json_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace evenkeel {
namespace {

TEST(JsonDepth, CountsOpenArraysAndObjects) {
  EXPECT_FALSE(IsDeeperThan("", 0));
  EXPECT_FALSE(IsDeeperThan("17", 0));
  EXPECT_TRUE(IsDeeperThan("[]", 0));
  EXPECT_FALSE(IsDeeperThan(R"([{"a":[]},{"b":[]}])", 3))
      << "those beside each other do not add up";
  EXPECT_TRUE(IsDeeperThan(R"([{"a":[[]]}])", 3));
  EXPECT_TRUE(IsDeeperThan(std::string(1'000'000, '[')));
}

TEST(JsonDepth, BracketsInStringsDoNotCount) {
  EXPECT_FALSE(IsDeeperThan(R"(["[[[", "{\"[", "\\", "]"])", 1));
  EXPECT_TRUE(IsDeeperThan(R"(["\\", [1]])", 1));
}

TEST(JsonDepth, OfWhatIsNoJsonThereIsAnAnswer) {
  EXPECT_FALSE(IsDeeperThan("]]]}", 1));
  EXPECT_FALSE(IsDeeperThan("\"[[[[\\", 1));
  EXPECT_TRUE(IsDeeperThan("]][[", 1));
}

}  // namespace
}  // namespace evenkeel
