#include "files/file_content.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/files/file_samples.h"

namespace evenkeel::files {
namespace {

TEST(FileContentTest, AContentIsEncodedAndDecoded) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, kLarge}) {
    const FileContent content = ContentOfBytes(SampleBytes(size, 1));
    const std::string bytes = Encode(content);
    EXPECT_EQ(DecodeContent(bytes), content);
    EXPECT_FALSE(DecodeContent(bytes + "x"));
    EXPECT_FALSE(DecodeContent(bytes.substr(0, bytes.size() - 1)));
    EXPECT_FALSE(DecodeContent("-" + bytes));
  }
  EXPECT_FALSE(DecodeContent(""));
  EXPECT_FALSE(DecodeContent("5"));
  EXPECT_FALSE(DecodeContent("99999999999999999999:"));
}

}  // namespace
}  // namespace evenkeel::files
