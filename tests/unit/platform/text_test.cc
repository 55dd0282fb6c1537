#include "platform/text.h"

#include <gtest/gtest.h>

namespace evenkeel::platform {
namespace {

TEST(Base64, FollowsTheVectorsOfTheRfc) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(EncodeBase64(bytes), text);
    EXPECT_EQ(DecodeBase64(text), bytes);
  }
  EXPECT_EQ(EncodeBase64(std::string("\x00\xff\xfe", 3)), "AP/+");
  EXPECT_EQ(DecodeBase64("AAEC/w=="), std::string("\x00\x01\x02\xff", 4));
}

TEST(Base64, DecodesAcrossLineBreaks) {
  EXPECT_EQ(DecodeBase64("aGVs\nbG8h\r\n"), "hello!");
  EXPECT_EQ(DecodeBase64("aGVsbG8\n="), "hello");
}

TEST(Base64, RefusesOtherText) {
  for (const char* text : {"aGVsbG8", "aGV$bG8=", "a", "=", "====", "aGVsbG8.", "aGVs bG8h",
                           "aGVs====", "aG=sbG8h", "-----BEGIN CERTIFICATE-----", "aGVs-G8_"}) {
    EXPECT_FALSE(DecodeBase64(text)) << text;
  }
}

TEST(Percent, EncodesAllButUnreservedBytes) {
  EXPECT_EQ(EncodePercent("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(EncodePercent("a=b,c &+/%"), "a%3Db%2Cc%20%26%2B%2F%25");
  EXPECT_EQ(EncodePercent("out/\xc3\xa9", "/"), "out/%C3%A9");
  EXPECT_EQ(EncodePercent(std::string("\x00\xff", 2)), "%00%FF");
}

TEST(Percent, IsDecoded) {
  EXPECT_EQ(DecodePercent(""), "");
  EXPECT_EQ(DecodePercent("a%20b%2f%2F+"), "a b//+");
  EXPECT_EQ(DecodePercent("%00%ff"), std::string("\x00\xff", 2));
  for (int byte = 0; byte < 256; ++byte) {
    const std::string bytes(1, static_cast<char>(byte));
    EXPECT_EQ(DecodePercent(EncodePercent(bytes)), bytes) << byte;
  }
  for (const char* text : {"%", "a%", "%0", "%zz", "%0g", "%%41"}) {
    EXPECT_EQ(DecodePercent(text), std::nullopt) << text;
  }
}

TEST(PlainFileName, IsSafeEverywhere) {
  for (const char* name : {"a", "plot-1_b.SVG", "7"}) EXPECT_TRUE(IsPlainFileName(name)) << name;
  EXPECT_TRUE(IsPlainFileName(std::string(100, 'x')));
  EXPECT_FALSE(IsPlainFileName(std::string(101, 'x')));
  for (const char* name : {"", ".", "..", ".hidden", "-rf", "a b", "a/b", "a\\b", "na\u00efve"}) {
    EXPECT_FALSE(IsPlainFileName(name)) << name;
  }
}

}  // namespace
}  // namespace evenkeel::platform
