#include "http/http_message.h"

#include <gtest/gtest.h>

namespace evenkeel::http {
namespace {

TEST(PathOf, IsDecodedAndHasNoQuery) {
  EXPECT_EQ(PathOf("/"), "/");
  EXPECT_EQ(PathOf("/results/a.npy?x=1#y"), "/results/a.npy");
  EXPECT_EQ(PathOf("/a%20b%2f..%2F"), "/a b/../");
}

TEST(PathOf, IsNothingWhereItMakesNoSense) {
  for (const char* target : {"", "a", "*", "http://host/", "/%", "/%0", "/%zz", "/%00", "/a%0ab",
                             "/\xc3\xa9", "/%ff", "?a"}) {
    EXPECT_EQ(PathOf(target), std::nullopt) << target;
  }
}

}  // namespace
}  // namespace evenkeel::http
