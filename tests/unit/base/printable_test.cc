#include "core/base/printable.h"

#include <gtest/gtest.h>

namespace evenkeel {
namespace {

TEST(Printable, ControlsBecomeQuestionMarksAndLineBreaksBlanks) {
  EXPECT_EQ(Printable("a\nb\tc\rd"), "a b c d");
  EXPECT_EQ(Printable("\x1b[2J\x7f"), "?[2J?");
  EXPECT_EQ(Printable("\xc2\x9b\x31m"), "?1m") << "a control character in UTF-8";
  EXPECT_EQ(Printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
}

TEST(Printable, IsCutBetweenCharacters) {
  EXPECT_EQ(Printable("abcd", 4), "abcd");
  EXPECT_EQ(Printable("abcde", 4), "abcd...");
  EXPECT_EQ(Printable("abc\xc3\xbc\x64", 4), "abc\xc3\xbc...");
}

TEST(PrintableAscii, EveryOtherByteBecomesAQuestionMark) {
  EXPECT_EQ(PrintableAscii("a~ b\n\x7f\xc3\xbc\xff", 100), "a~ b?????");
  EXPECT_EQ(PrintableAscii("abcde", 4), "abcd");
  EXPECT_EQ(PrintableAscii("", 4), "");
}

}  // namespace
}  // namespace evenkeel
