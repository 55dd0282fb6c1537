#include "coordinator/service/epoch_hmac.h"

#include <gtest/gtest.h>

namespace evenkeel::coordinator {
namespace {

TEST(EpochHmac, AcceptsOnlyTheTagOfTheEpochByTheSameKey) {
  const EpochHmac epochs("0123456789abcdef");
  const std::string tag = epochs.Tag(7);
  EXPECT_EQ(tag.size(), 32U);
  EXPECT_TRUE(EpochHmac("0123456789abcdef").IsTagOf(7, tag)) << "of another start";
  EXPECT_FALSE(epochs.IsTagOf(8, tag));
  EXPECT_FALSE(EpochHmac("0123456789abcdeF").IsTagOf(7, tag));
  EXPECT_FALSE(epochs.IsTagOf(7, ""));
  EXPECT_FALSE(epochs.IsTagOf(7, tag + '\0'));
}

}  // namespace
}  // namespace evenkeel::coordinator
