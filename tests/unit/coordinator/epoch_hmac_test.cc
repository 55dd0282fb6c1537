#include "coordinator/service/epoch_hmac.h"

#include <gtest/gtest.h>

namespace evenkeel::coordinator {
namespace {

const std::string kKey = "0123456789abcdef";
const std::string kNextKey = "0123456789abcdeF";

EpochHmac With(std::vector<std::string> keys) {
  return EpochHmac([keys = std::move(keys)] { return keys; });
}

TEST(EpochHmac, AcceptsOnlyTheTagOfTheEpochByTheSameKey) {
  const EpochHmac epochs = With({kKey});
  const std::string tag = epochs.Tag(7);
  EXPECT_EQ(tag.size(), 32U);
  EXPECT_TRUE(With({kKey}).IsTagOf(7, tag)) << "of another start";
  EXPECT_FALSE(epochs.IsTagOf(8, tag));
  EXPECT_FALSE(With({kNextKey}).IsTagOf(7, tag));
  EXPECT_FALSE(epochs.IsTagOf(7, ""));
  EXPECT_FALSE(epochs.IsTagOf(7, tag + '\0'));
}

TEST(EpochHmac, StartsBeforeAndAfterAReplacedKeyUnderstandEachOther) {
  const EpochHmac before = With({kKey});
  const EpochHmac meanwhile = With({kKey, kNextKey});
  const EpochHmac moved = With({kNextKey, kKey});
  EXPECT_TRUE(moved.IsTagOf(7, before.Tag(7)));
  EXPECT_TRUE(meanwhile.IsTagOf(8, moved.Tag(8)));
  EXPECT_TRUE(With({kNextKey}).IsTagOf(8, moved.Tag(8)));
  EXPECT_FALSE(With({kNextKey}).IsTagOf(7, before.Tag(7))) << "the old key is retired";
}

}  // namespace
}  // namespace evenkeel::coordinator
