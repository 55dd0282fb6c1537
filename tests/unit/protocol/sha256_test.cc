#include "core/protocol/sha256.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "core/base/random_bytes.h"

namespace evenkeel::protocol {
namespace {

std::string HexOf(const Sha256Digest& digest) {
  std::string text;
  for (const char byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(HexOf(Sha256Of("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HexOf(Sha256Of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(RandomBytes, FillTheWholeBufferAndDiffer) {
  // More than getrandom(2) gives in one call that a signal may interrupt.
  std::string one(1000, '\0');
  std::string other = one;
  ASSERT_TRUE(FillWithRandomBytes(one).has_value());
  ASSERT_TRUE(FillWithRandomBytes(other).has_value());
  EXPECT_NE(one, other);
  EXPECT_NE(one.substr(900), std::string(100, '\0'));
}

}  // namespace
}  // namespace evenkeel::protocol
